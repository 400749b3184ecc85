import { describe, expect, it } from 'vitest'
import type { ClusterNode } from '../../api/wire.ts'
import { clusterHealth, lostNodes } from './cluster-health.ts'
import type { ClusterEvent } from './cluster-queries.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const patience = { heartbeatMs: 1_000, lateMs: 4_000, goneMs: 8_000 }
const node = (name: string, more: Partial<ClusterNode> = {}): ClusterNode => ({
  ...{ id: `nod_${name}`, name, version: '1', state: 'alive', self: false, startedAt: null, beatAt: null },
  ...{ silentMs: 100, holds: 0 },
  ...more,
})
const buried = (name: string, agoMs: number): ClusterEvent => ({
  ...{ position: '1', kind: 'buried', nodeId: `nod_${name}`, name, detail: null },
  at: new Date(NOW - agoMs).toISOString(),
})

describe('the health of a cluster', () => {
  it('is well when every node is heard of within the patience of the server', () => {
    const items = [node('a', { silentMs: 3_900 }), node('b')]
    expect(clusterHealth({ items, patience }, [], NOW)).toEqual({ alive: 2, all: 2, faults: [] })
    expect(clusterHealth({ items: [node('a', { silentMs: 4_100 }), node('b')], patience }, [], NOW)).toEqual({
      ...{ alive: 1, all: 2 },
      faults: ['a is late: not heard of for 4.1 s'],
    })
  })

  it('counts a node that died for a while, unless it is back', () => {
    const items = [node('a'), node('b')]
    expect(clusterHealth({ items, patience }, [buried('c', 60_000)], NOW)).toEqual({
      ...{ alive: 2, all: 3 },
      faults: ['c is gone'],
    })
    expect(clusterHealth({ items, patience }, [buried('a', 60_000)], NOW).faults).toEqual([])
    expect(clusterHealth({ items, patience }, [buried('c', 3_600_000)], NOW).all).toBe(2)
  })

  it('knows at once of a process of a dev cluster that was killed', () => {
    const processes = [{ name: 'b', state: 'dead' as const, url: null }]
    expect(clusterHealth({ items: [node('a'), node('b')], processes, patience }, [buried('b', 1)], NOW)).toEqual({
      ...{ alive: 1, all: 2 },
      faults: ['b is gone'],
    })
  })

  it('tells the last burial of a node, and none of one that the others still wait for', () => {
    const events = [buried('b', 1_000), buried('b', 60_000), buried('c', 2_000)]
    const processes = [{ name: 'c', state: 'dead' as const, url: null }]
    expect(lostNodes({ items: [node('a'), node('c')], processes }, events, NOW)).toEqual([
      { name: 'c', at: null },
      { name: 'b', at: new Date(NOW - 1_000).toISOString() },
    ])
  })
})
