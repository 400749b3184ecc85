import { describe, expect, it } from 'vitest'
import {
  fromWireId,
  InvalidId,
  isUuid,
  seededRandom,
  systemClock,
  systemRandom,
  toWireId,
  uuidSource,
  uuidTime,
} from '../index.ts'

describe('uuid source', () => {
  it('makes version 7 uuids that rise, ten thousand in a row', () => {
    const next = uuidSource(systemClock, systemRandom)
    const ids = Array.from({ length: 10_000 }, next)
    expect(ids.every((id) => isUuid(id) && id[14] === '7' && '89ab'.includes(id[19]!))).toBe(true)
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('carries the clock in its first 48 bits, and rides out a clock that goes back', () => {
    let now = 0x0190_1234_5678
    const next = uuidSource({ ...systemClock, now: () => now }, seededRandom(1))
    const first = next()
    expect(first.startsWith('01901234-5678-7')).toBe(true)
    expect(uuidTime(first)).toBe(now)
    now -= 60_000
    expect(next() > first).toBe(true)
  })
})

describe('wire ids', () => {
  it('names the kind and comes back as the bare uuid', () => {
    const uuid = uuidSource(systemClock, systemRandom)()
    expect(fromWireId('instance', toWireId('instance', uuid))).toBe(uuid)
  })

  it('refuses an id of another kind, naming the one it wanted', () => {
    const uuid = uuidSource(systemClock, systemRandom)()
    expect(() => fromWireId('instance', toWireId('node', uuid))).toThrow(/expected wfi_/)
    expect(() => fromWireId('instance', 'wfi_1')).toThrow(InvalidId)
  })
})
