import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Framer, NotThisProtocol } from './framer.ts'

/** One byte of length, then that many bytes. Zero is no message. */
const measure = (bytes: Buffer): number => (bytes[0] === 0 ? Number.NaN : 1 + bytes[0]!)

const messages = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 12 })

describe('framer', () => {
  it('yields the same messages however the stream is chopped', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.nat({ max: 50 })), (bodies, sizes) => {
        const sent = bodies.map((body) => Buffer.concat([Buffer.from([body.length]), body]))
        const framer = new Framer(measure)
        const got: Buffer[] = []
        let rest = Buffer.concat(sent)
        for (const size of sizes) {
          got.push(...framer.feed(rest.subarray(0, size)))
          rest = rest.subarray(size)
        }
        got.push(...framer.feed(rest))
        expect(got.map(String)).toEqual(sent.map(String))
        expect(framer.drain()).toHaveLength(0)
      }),
    )
  })

  it('gives back what no complete message covers', () => {
    const framer = new Framer(measure)
    expect([...framer.feed(Buffer.from([1, 7, 3, 8]))]).toEqual([Buffer.from([1, 7])])
    expect(framer.drain()).toEqual(Buffer.from([3, 8]))
  })

  it('keeps everything when the protocol is another one', () => {
    const framer = new Framer(measure)
    expect(() => [...framer.feed(Buffer.from([0, 9, 9]))]).toThrow(NotThisProtocol)
    expect(framer.drain()).toEqual(Buffer.from([0, 9, 9]))
  })
})
