import fc from 'fast-check'
import { expect, it } from 'vitest'
import { above } from './name-range.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')
const isBelow = (a: string, b: string): boolean => Buffer.compare(bytes(a), bytes(b)) < 0

it('is above everything that begins with the prefix, and not above anything else that is above the prefix', () => {
  const text = fc.string({ unit: 'binary', maxLength: 4 }).filter((value) => !value.includes('\0'))
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const end = above(prefix)
      expect(isBelow(prefix + other, end)).toBe(true)
      if (!other.startsWith(prefix) && isBelow(prefix, other)) expect(isBelow(other, end)).toBe(false)
    }),
  )
})

it('steps over what is no character, and out of the highest one', () => {
  expect(above('a')).toBe('b')
  expect(above('\ud7ff')).toBe('\ue000')
  expect(above('a\u{10ffff}')).toBe('b')
  expect(isBelow('\u{10ffff}'.repeat(512), above(''))).toBe(true)
})
