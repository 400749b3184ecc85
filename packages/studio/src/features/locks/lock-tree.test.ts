import { describe, expect, it } from 'vitest'
import type { Lock } from '../../api/wire.ts'
import { lockFlags } from './lock-flag.ts'
import { filterLocks, lockFigures, lockFolders } from './lock-tree.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const lock = (key: string, more: Partial<Lock> = {}): Lock =>
  ({
    ...{
      key,
      kind: 'mutex',
      state: 'held',
      holder: { nodeId: 'n', name: 'node-1', instanceId: null, definitionId: null },
      fence: '1',
    },
    ...{ acquiredAt: new Date(NOW - 60_000).toISOString(), expiresAt: new Date(NOW + 30_000).toISOString() },
    ...{ ttlMs: 30_000, waiters: 0, waitingInstances: 0, holders: 1 },
    ...more,
  }) as Lock

describe('keys by their prefixes', () => {
  it('are folders at slashes and colons', () => {
    const locks = [lock('orders/eu/1'), lock('orders/us/2', { state: 'stale' }), lock('job:nightly'), lock('plain')]
    expect(lockFolders(locks).map(({ prefix, depth, count, stale }) => [prefix, depth, count, stale])).toEqual([
      ['job:', 0, 1, 0],
      ['orders/', 0, 2, 1],
      ['orders/eu/', 1, 1, 0],
      ['orders/us/', 1, 1, 1],
    ])
  })

  it('are counted', () => {
    const locks = [lock('a', { waiters: 2 }), lock('b', { state: 'stale' }), lock('workflow:x', { kind: 'instance' })]
    expect(lockFigures(locks)).toEqual({ held: 2, waited: 1, stale: 1, inHand: 1 })
  })

  it('are found by holder and age', () => {
    const other = { nodeId: 'm', name: 'node-2', instanceId: null, definitionId: null }
    const locks = [lock('a'), lock('b', { holder: other }), lock('c', { acquiredAt: new Date(NOW).toISOString() })]
    expect(filterLocks(locks, { holder: 'node-2', olderMs: 0 }, NOW).map(({ key }) => key)).toEqual(['b'])
    expect(filterLocks(locks, { holder: undefined, olderMs: 60_000 }, NOW).map(({ key }) => key)).toEqual(['a', 'b'])
  })
})

describe('flags of a lock', () => {
  const words = (given: Lock, most?: number) => lockFlags(given, { now: NOW, most }).map(({ label }) => label)

  it('say how it stands, and what is odd about it', () => {
    expect(words(lock('a'))).toEqual(['Held'])
    expect(words(lock('a', { waiters: 1 }))).toEqual(['Contended'])
    expect(words(lock('a', { state: 'stale' }))).toEqual(['Stale'])
    expect(words(lock('a', { expiresAt: null }))).toEqual(['Held', 'No expiry'])
    expect(words(lock('a', { holder: { nodeId: null, name: null, instanceId: null, definitionId: null } }))).toEqual([
      'Held',
      'Orphan',
    ])
    expect(words(lock('a', { kind: 'instance', expiresAt: null }))).toEqual(['In hand'])
  })

  it('say that a lease runs out, by what was granted', () => {
    const soon = new Date(NOW + 5_000).toISOString()
    expect(words(lock('a', { expiresAt: soon }), 30_000)).toEqual(['Held', 'Near expiry'])
    expect(words(lock('a', { expiresAt: soon }), 6_000)).toEqual(['Held'])
  })
})
