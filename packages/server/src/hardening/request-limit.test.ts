import { systemClock } from '@lockstep/base'
import type { FastifyReply } from 'fastify'
import { describe, expect, it } from 'vitest'
import { RequestLimit } from './request-limit.ts'

const open = (burst: number, perMs: number) => {
  let now = 0
  const limit = new RequestLimit({ ...systemClock, monotonic: () => now }, { burst, perMs })
  const take = (caller: string): string => {
    const headers: Record<string, string> = {}
    const reply = { header: (name: string, value: string) => (headers[name] = value) } as unknown as FastifyReply
    try {
      limit.take(caller, reply)
    } catch (error) {
      return `${(error as { code: string }).code} ${headers.ratelimit}`
    }
    return String(headers.ratelimit)
  }
  return { limit, take, pass: (ms: number) => (now += ms) }
}

describe('the limit of requests', () => {
  it('says what is left, and refuses one caller without touching another', () => {
    const { take, pass } = open(3, 60_000)
    expect([take('a'), take('a'), take('a')]).toEqual([
      '"requests";r=2;t=20',
      '"requests";r=1;t=40',
      '"requests";r=0;t=60',
    ])
    expect(take('a')).toBe('RATE_LIMITED "requests";r=0;t=20')
    expect(take('b')).toBe('"requests";r=2;t=20')
    pass(20_000)
    expect(take('a')).toMatch(/^"requests";r=0/)
  })

  it('remembers a bounded number of callers', () => {
    const { take, limit } = open(3, 60_000)
    for (let n = 0; n < 12_000; n += 1) take(`stranger ${n}`)
    expect(limit.size).toBeLessThanOrEqual(10_000)
  })
})
