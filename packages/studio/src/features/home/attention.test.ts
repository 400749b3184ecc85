import { describe, expect, it } from 'vitest'
import { attentionOf } from './attention.ts'

const node = {
  ...{ id: 'nod_1', name: 'node-1', version: '1', state: 'alive', self: false, startedAt: null, beatAt: null },
  ...{ silentMs: 9_000, holds: 0 },
}
const lock = {
  ...{ key: 'till/1', kind: 'mutex' as const, state: 'stale' as const, fence: '7', acquiredAt: null, expiresAt: null },
  ...{
    holder: { nodeId: 'nod_2', name: 'node-2', instanceId: null, definitionId: null },
    ttlMs: 0,
    waiters: 1,
    waitingInstances: 0,
    holders: 1,
  },
}
const breaker = {
  ...{ key: 'bank', state: 'open' as const, reason: null, openedAt: null, openForMs: 1, probeNodeId: null },
  ...{ generation: 1, changedAt: null },
}
const incident = {
  ...{ fingerprint: 'f', definitionId: 'order', code: 'X', step: 'charge', message: 'It broke', open: 3 },
  ...{ instances: 3, firstAt: '', lastAt: '', firstVersion: 1, lastVersion: 1, acknowledgedAt: null },
  ...{ acknowledgedBy: null, assignee: null, mutedUntil: null, note: null },
}

describe('what needs attention', () => {
  it('names nodes that are late, stale locks, open breakers and incidents, each with the page that mends it', () => {
    const found = attentionOf({
      ...{ incidents: [incident], breakers: [breaker], locks: [lock], lost: [], nameOf: () => 'Order approval' },
      nodes: { items: [node], patience: { heartbeatMs: 1_000, lateMs: 4_000, goneMs: 20_000 } },
    })
    expect(found.map(({ title, to }) => [title, to])).toEqual([
      ['Node node-1 is late', '/cluster'],
      ['Lock till/1 is stale', '/locks'],
      ['Breaker bank is open', '/breakers'],
      ['Order approval: charge', '/incidents'],
    ])
  })

  it('names a node that is gone once, whether or not it is still listed', () => {
    const facts = { incidents: [], breakers: [], locks: [], nameOf: (id: string) => id }
    const nodes = { items: [node], patience: { heartbeatMs: 1_000, lateMs: 4_000, goneMs: 20_000 } }
    const lost = [
      { name: 'node-1', at: null },
      { name: 'node-2', at: '2026-01-01T00:00:00.000Z' },
    ]
    expect(attentionOf({ ...facts, nodes, lost }).map(({ title, at }) => [title, at])).toEqual([
      ['Node node-1 is gone', null],
      ['Node node-2 is gone', '2026-01-01T00:00:00.000Z'],
    ])
  })

  it('says who sees to what failed', () => {
    const facts = { breakers: [], locks: [], nodes: undefined, lost: [], nameOf: (id: string) => id }
    const [item] = attentionOf({ ...facts, incidents: [{ ...incident, assignee: 'ana' }] })
    expect(item?.text).toBe('ana sees to it. It broke')
  })

  it('is silent about what is well', () => {
    const well = {
      ...{ incidents: [], breakers: [{ ...breaker, state: 'closed' as const }], lost: [] },
      ...{ locks: [{ ...lock, state: 'held' as const }], nameOf: (id: string) => id },
    }
    const nodes = { items: [{ ...node, silentMs: 3 }] }
    expect(attentionOf({ ...well, nodes })).toEqual([])
  })
})
