import { describe, expect, it } from 'vitest'
import type { ClusterNode, ClusterNodes } from '../../api/wire.ts'
import { nodePlace, serverPlaces, shownPlaces } from './topology.ts'

type Servers = NonNullable<ClusterNodes['servers']>

const NOW = Date.parse('2026-01-01T12:00:00Z')
const node = (name: string, more: Partial<ClusterNode> = {}): ClusterNode => ({
  ...{ id: `nod_${name}`, name, version: '1', state: 'alive', self: false, startedAt: null, beatAt: null },
  ...{ silentMs: 100, holds: 0 },
  ...more,
})
const self = (upMs: number): ClusterNode => node('a', { self: true, startedAt: new Date(NOW - upMs).toISOString() })
const words = (upMs: number, servers: Servers, isStoreAway = false) =>
  serverPlaces({ items: [self(upMs)], servers }, NOW, isStoreAway).map(({ health, word }) => `${health} ${word}`)

describe('what a node leans on', () => {
  it('is slow above 10, 5 and 10 ms', () => {
    const near: Servers = [
      { name: 'database', roundTripMs: 9.9 },
      { name: 'redis', roundTripMs: 5 },
      { name: 'broker', roundTripMs: 0.4 },
    ]
    expect(words(60_000, near)).toEqual(['well 9.9 ms', 'well 5.0 ms', 'well 0.4 ms'])
    const far = near.map(({ name, roundTripMs }) => ({ name, roundTripMs: roundTripMs! + 10 }))
    expect(words(60_000, far)).toEqual(['slow Slow: 20 ms', 'slow Slow: 15 ms', 'slow Slow: 10 ms'])
  })

  it('gives no answer only once it was asked', () => {
    const redis: Servers = [{ name: 'redis', roundTripMs: null }]
    expect(words(10_000, redis)).toEqual(['unknown Not measured yet'])
    expect(words(60_000, redis)).toEqual(['down No answer'])
  })

  it('is away when the store refuses to say anything else', () => {
    expect(words(1_000, [{ name: 'database', roundTripMs: 1 }], true)).toEqual(['down No answer'])
  })
})

describe('nodes in the picture', () => {
  const patience = { heartbeatMs: 1_000, lateMs: 4_000, goneMs: 8_000 }
  const entry = (each: ClusterNode) => ({ key: each.id, name: each.name, node: each, process: undefined })

  it('say how they stand', () => {
    expect(nodePlace(entry(node('a')), patience)).toMatchObject({ health: 'well', word: 'Alive' })
    expect(nodePlace(entry(node('a', { silentMs: 5_000 })), patience)).toMatchObject({ health: 'slow', word: 'Late' })
    expect(nodePlace(entry(node('a', { state: 'draining' })), patience)).toMatchObject({ word: 'Draining' })
    const dead = { name: 'b', state: 'dead' as const, url: null }
    const gone = { key: 'b', name: 'b', node: undefined, process: dead }
    expect(nodePlace(gone, patience)).toMatchObject({ health: 'down', word: 'Dead' })
  })

  it('are those that matter, where not all fit', () => {
    const all = [node('a'), node('b'), node('c', { silentMs: 9_000 }), node('d', { self: true })]
    const places = all.map((each) => nodePlace(entry(each), patience))
    expect(shownPlaces(places, 4)).toHaveLength(4)
    expect(shownPlaces(places, 2).map(({ name }) => name)).toEqual(['c', 'd'])
  })
})
