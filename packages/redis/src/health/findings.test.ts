import { describe, expect, it } from 'vitest'
import { findings } from './findings.ts'

const good = {
  maxmemory_policy: 'noeviction',
  maxmemory: '0',
  used_memory: '1000',
  aof_enabled: '1',
  role: 'master',
  redis_version: '7.2.4',
}

function levels(change: Record<string, string | undefined>): Record<string, string> {
  const info = new Map(
    Object.entries({ ...good, ...change }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  return Object.fromEntries(findings(info).map(({ check, level }) => [check, level]))
}

describe('what is found', () => {
  it('is good in a good server', () => {
    expect(new Set(Object.values(levels({})))).toEqual(new Set(['ok']))
  })

  it.each([
    ['eviction-policy', { maxmemory_policy: 'allkeys-lru' }, 'error'],
    ['eviction-policy', { maxmemory_policy: 'volatile-ttl' }, 'error'],
    ['eviction-policy', { maxmemory_policy: undefined }, 'warning'],
    ['memory', { maxmemory: '1050' }, 'warning'],
    ['memory', { maxmemory: '2000' }, 'ok'],
    ['persistence', { aof_enabled: '0' }, 'warning'],
    ['replica', { role: 'slave' }, 'error'],
    ['version', { redis_version: '5.0.14' }, 'error'],
    ['version', { redis_version: undefined }, 'error'],
  ])('%s with %o is an %s', (check, change, level) => {
    expect(levels(change)).toMatchObject({ [check]: level })
    expect(Object.values(levels(change)).filter((each) => each !== 'ok')).toHaveLength(level === 'ok' ? 0 : 1)
  })
})
