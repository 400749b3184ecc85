import type { WaiterView } from '@lockstep/coordination'
import type { LockWait } from '@lockstep/engine/ports'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { instant } from '../wire/schema.ts'

const MOST_KEYS = 20
const MOST_PATTERNS = 20

const Quantiles = Type.Object({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number(), max: Type.Number() })

const Contention = Type.Object({
  keys: Type.Array(
    Type.Object({
      key: Type.String(),
      waiters: Type.Integer({ description: 'Places in the store; a process waits once for all of its own.' }),
      instances: Type.Integer({
        description:
          'Instances that wait for it, whether or not they have such a place at this moment; counted up to 1,000.',
      }),
      since: instant('Since when the first of them has waited.'),
    }),
    { description: 'Those with most who wait first.' },
  ),
  deadlocks: Type.Array(
    Type.Object({
      actors: Type.Array(Type.String()),
      finding: Type.String(),
      certain: Type.Boolean({ description: 'false: it may still end by itself.' }),
    }),
    { description: 'Who waits for each other in a circle.' },
  ),
  patterns: Type.Array(
    Type.Object({
      pattern: Type.String({ description: 'Names with their ids replaced by *.' }),
      asked: Type.Integer(),
      granted: Type.Integer(),
      refused: Type.Integer(),
      timedOut: Type.Integer(),
      failed: Type.Integer(),
      lost: Type.Integer(),
      contention: Type.Number({ description: 'Share of those who did not get it at once, 0 to 1.' }),
      waitMs: Quantiles,
      holdMs: Quantiles,
    }),
    { description: 'What the node that answers saw since it began, the most asked first.' },
  ),
  truncated: Type.Boolean({ description: 'There are more who wait than were looked at.' }),
})

export const getLockContention = route({
  method: 'GET',
  path: '/lock-contention',
  name: 'getLockContention',
  permission: 'locks:read',
  reach: 'cluster',
  summary: 'Which locks are waited for most, who waits in a circle, and how long locks were waited for and held.',
  replies: { 200: Contention },
  problems: ['PROVIDER_UNAVAILABLE'],
  async handle({ locks, browse }) {
    if (locks === undefined) return { status: 200, body: { keys: [], deadlocks: [], patterns: [], truncated: false } }
    const { monitor } = locks()
    const [waiters, graph, waits] = await Promise.all([monitor.waiters(), monitor.graph(), browse.lockWaits()])
    const patterns = monitor.stats().slice(0, MOST_PATTERNS)
    const deadlocks = graph.deadlocks.map(({ actors, finding, certain }) => ({ actors, finding, certain }))
    return { status: 200, body: { keys: byKey(waiters, waits), deadlocks, patterns, truncated: graph.truncated } }
  },
})

function byKey(waiters: readonly WaiterView[], waits: readonly LockWait[]) {
  const keys = new Map<string, { waiters: number; instances: number; since: number }>()
  const add = (key: string, more: { waiters?: number; instances?: number; since: number }): void => {
    const before = keys.get(key)
    keys.set(key, {
      waiters: (before?.waiters ?? 0) + (more.waiters ?? 0),
      instances: (before?.instances ?? 0) + (more.instances ?? 0),
      since: Math.min(before?.since ?? more.since, more.since),
    })
  }
  for (const { lock, since } of waiters) add(lock, { waiters: 1, since })
  for (const { name, instances, since } of waits) add(name, { instances, since })
  const size = (each: { waiters: number; instances: number }): number => Math.max(each.waiters, each.instances)
  return [...keys]
    .sort(([, a], [, b]) => size(b) - size(a) || a.since - b.since)
    .slice(0, MOST_KEYS)
    .map(([key, each]) => ({ key, ...each, since: iso(each.since) }))
}
