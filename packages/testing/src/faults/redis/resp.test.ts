import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Framer } from '../exchange/framer.ts'
import { firstLine, kindOf, measureReply, measureRequest, readWords } from './resp.ts'

const encode = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`

const { value: reply } = fc.letrec<{ value: string }>((tie) => {
  const several = fc.array(tie('value'), { maxLength: 4 })
  const line = fc.string({ maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ' '))
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(fc.constantFrom('+', '-', ':', ',', '#', '('), line).map(([type, text]) => `${type}${text}\r\n`),
      fc.constantFrom('$-1\r\n', '*-1\r\n', '_\r\n', '*0\r\n', '$0\r\n\r\n'),
      fc
        .tuple(fc.constantFrom('$', '=', '!'), fc.string({ unit: 'binary', maxLength: 20 }))
        .map(([type, text]) => `${type}${Buffer.byteLength(text)}\r\n${text}\r\n`),
      several.map((items) => `*${items.length}\r\n${items.join('')}`),
      several.map((items) => `~${items.length}\r\n${items.join('')}`),
      several.map((items) => `>${items.length}\r\n${items.join('')}`),
      fc
        .array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 })
        .map((pairs) => `%${pairs.length}\r\n${pairs.flat().join('')}`),
      fc.tuple(tie('value'), tie('value'), tie('value')).map(([key, value, what]) => `|1\r\n${key}${value}${what}`),
    ),
  }
})

function frames(measure: (bytes: Buffer) => number, stream: Buffer, sizes: readonly number[]): string[] {
  const framer = new Framer(measure)
  const got: Buffer[] = []
  let rest = stream
  for (const size of sizes) {
    got.push(...framer.feed(rest.subarray(0, size)))
    rest = rest.subarray(size)
  }
  got.push(...framer.feed(rest))
  expect(framer.drain()).toHaveLength(0)
  return got.map((each) => each.toString('latin1'))
}

const sizes = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 })

describe('RESP framing', () => {
  it('finds the same replies of every type however they are chopped', () => {
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 6 }), sizes, (replies, chops) => {
        const expected = replies.map((each) => Buffer.from(each).toString('latin1'))
        expect(frames(measureReply, Buffer.from(replies.join('')), chops)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('finds the same commands however they are chopped', () => {
    const command = fc.array(fc.string({ unit: 'binary', maxLength: 10 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(command, { maxLength: 6 }), sizes, (commands, chops) => {
        const stream = Buffer.from(commands.map(encode).join(''))
        const got = frames(measureRequest, stream, chops).map((each) => readWords(Buffer.from(each, 'latin1')))
        expect(got).toEqual(commands)
      }),
    )
  })

  it('reads inline commands, quotes included, and ignores empty lines', () => {
    const got = frames(measureRequest, Buffer.from('PING\r\n\r\nset k "a b"\nget \'x y\'\r\n'), [])
    expect(got.map((each) => readWords(Buffer.from(each)))).toEqual([['PING'], [], ['set', 'k', 'a b'], ['get', 'x y']])
  })

  it('waits for a large value without looking at every piece of it', () => {
    let measured = 0
    const framer = new Framer((bytes) => {
      measured++
      return measureReply(bytes)
    })
    const value = Buffer.from(`$100000\r\n${'x'.repeat(100_000)}\r\n`)
    const got: Buffer[] = []
    for (let at = 0; at < value.length; at += 100) got.push(...framer.feed(value.subarray(at, at + 100)))
    expect(got).toHaveLength(1)
    expect(measured).toBeLessThan(5)
  })

  it.each([['$?\r\n'], ['&1\r\n'], ['*x\r\n']])('gives up on %j', (bytes) => {
    expect(measureReply(Buffer.from(bytes))).toBeNaN()
  })

  it('reads the first line and the kind of a value', () => {
    expect(firstLine(Buffer.from('-ERR no\r\n'))).toBe('-ERR no')
    expect(kindOf(Buffer.from('>3\r\n$7\r\nMessage\r\n$1\r\na\r\n$1\r\nb\r\n'))).toBe('message')
    expect(kindOf(Buffer.from('*0\r\n'))).toBe('')
  })
})
