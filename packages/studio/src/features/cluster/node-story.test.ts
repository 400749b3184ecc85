import { describe, expect, it } from 'vitest'
import type { ClusterNode, Lock } from '../../api/wire.ts'
import type { ClusterEvent } from './cluster-queries.ts'
import { beatShare, eventsOf, heldBy, nodeStory } from './node-story.ts'

const node = (id: string, name: string): ClusterNode => ({
  ...{ id, name, version: '1', state: 'alive', self: false, startedAt: null, beatAt: null, silentMs: 0, holds: 0 },
})
const event = (kind: string, nodeId: string, more: Partial<ClusterEvent> = {}): ClusterEvent => ({
  ...{ position: '1', at: '2026-01-01T00:00:00Z', kind, nodeId, name: 'node-1', detail: null, ...more },
})
const lock = (key: string, kind: Lock['kind'], nodeId: string, name: string): Lock =>
  ({ key, kind, holder: { nodeId, name, instanceId: null, definitionId: null } }) as unknown as Lock

describe('the story of a node', () => {
  it('is of one that is there', () => {
    const items = [node('nod_1', 'node-1'), node('nod_2', 'node-2')]
    expect(nodeStory('nod_2', { items }, [])).toMatchObject({ status: 'here', entry: { name: 'node-2' } })
  })

  it('is told by events of one that is gone, and names who has its place', () => {
    const joined = event('joined', 'nod_1', { at: '2026-01-01T00:00:00Z', detail: { version: '7', roles: ['api'] } })
    const buried = event('buried', 'nod_1', { at: '2026-01-01T01:00:00Z' })
    const told = nodeStory('nod_1', { items: [node('nod_9', 'node-1')] }, [buried, event('joined', 'nod_9'), joined])
    expect(told).toMatchObject({
      ...{ status: 'gone', name: 'node-1', end: 'buried', version: '7', roles: ['api'], next: { id: 'nod_9' } },
      ...{ joinedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T01:00:00Z' },
    })
    expect(nodeStory('nod_1', { items: [] }, [event('left', 'nod_1')])).toMatchObject({ end: 'left', next: undefined })
    expect(nodeStory('nod_1', { items: [] }, [event('suspected', 'nod_1')])).toMatchObject({ end: undefined })
  })

  it('is unknown where nobody speaks of it', () => {
    expect(nodeStory('nod_1', { items: [] }, [event('joined', 'nod_2')])).toEqual({ status: 'unknown' })
  })

  it('has what it did to others too', () => {
    const own = event('joined', 'nod_1')
    const burial = event('buried', 'nod_2', { detail: { by: 'nod_1' } })
    expect(eventsOf('nod_1', [own, burial, event('joined', 'nod_3')])).toEqual([own, burial])
  })
})

describe('what a node holds', () => {
  it('is instances by its id, so that an earlier life has none of them, and locks by its name', () => {
    const locks = [
      lock('workflow:a', 'instance', 'nod_1', 'node-1'),
      lock('workflow:b', 'instance', 'nod_0', 'node-1'),
      lock('x', 'mutex', 'C2j', 'node-1'),
      lock('y', 'mutex', 'D7k', 'node-2'),
    ]
    const { instances, locks: held } = heldBy(node('nod_1', 'node-1'), locks)
    expect([instances.map(({ key }) => key), held.map(({ key }) => key)]).toEqual([['workflow:a'], ['x']])
  })

  it('shares its silence with the patience of the others', () => {
    expect([0, 1_500, 9_000].map((ms) => beatShare(ms, { goneMs: 3_000 }))).toEqual([0, 0.5, 1])
  })
})
