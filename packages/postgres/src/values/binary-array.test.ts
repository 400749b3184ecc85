import { describe, expect, it } from 'vitest'
import { int4Array, uuidArray } from './binary-array.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const header = (oid: number, count: number): string =>
  [1, 0, oid, count, 1].map((each) => each.toString(16).padStart(8, '0')).join('')

describe('arrays in the form of the server', () => {
  it('hold uuids as their sixteen bytes, whatever the case of the digits', () => {
    expect(hex(uuidArray(['00112233-4455-6677-8899-aabbccddeeff', 'FFFFFFFF-0000-0000-0000-00000000000A']))).toBe(
      `${header(2950, 2)}00000010${'00112233445566778899aabbccddeeff'}00000010${'ffffffff00000000000000000000000a'}`,
    )
  })

  it('hold numbers as four bytes, negative ones too', () => {
    expect(hex(int4Array([1, -2, 2_147_483_647]))).toBe(
      `${header(23, 3)}0000000400000001${'00000004fffffffe'}000000047fffffff`,
    )
  })

  it('may be empty', () => {
    expect(hex(uuidArray([]))).toBe(header(2950, 0))
    expect(hex(int4Array([]))).toBe(header(23, 0))
  })
})
