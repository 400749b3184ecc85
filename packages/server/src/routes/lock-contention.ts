import Type from 'typebox'
import { type ReadWaits, readWaitGraph } from '../lock-graph/read-wait-graph.ts'
import type { WaitGraph } from '../lock-graph/wait-graph.ts'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { instant, nullable, oneOf } from '../wire/schema.ts'

const MOST_KEYS = 20
/** Waits that are told of one by one: those in circles, then the longest. */
const MOST_WAITS = 200
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
      circle: Type.Array(Type.Object({ party: Type.String(), key: Type.String() }), {
        description: 'Each waits for a key that the next one holds, and the last for one of the first.',
      }),
    }),
    { description: 'Who waits for each other in a circle.' },
  ),
  graph: Type.Object(
    {
      parties: Type.Array(
        Type.Object({
          id: Type.String(),
          kind: oneOf(['instance', 'owner', 'process', 'unknown']),
          name: nullable('string', { description: 'Of its node, where that is known.' }),
          instanceId: nullable('string'),
          definitionId: nullable('string'),
          owner: nullable('string', { description: 'What a task calls itself: `meta: { owner }`.' }),
        }),
      ),
      holds: Type.Array(
        Type.Object({ party: Type.String(), key: Type.String(), fence: Type.String(), since: instant() }),
      ),
      waits: Type.Array(
        Type.Object({
          party: Type.String(),
          key: Type.String(),
          step: nullable('string', { description: 'Of the instance.' }),
          since: instant(),
        }),
      ),
      left: Type.Integer({ description: 'Waits that are not told here.' }),
    },
    { description: 'Who waits for which lock, and who holds it: those in circles first, then who has waited longest.' },
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
  truncated: Type.Boolean({ description: 'There may be more who wait than were looked at.' }),
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
    if (locks === undefined) return { status: 200, body: NOTHING }
    const { monitor } = locks()
    const read = await readWaitGraph(monitor, browse)
    const patterns = monitor.stats().slice(0, MOST_PATTERNS)
    const { deadlocks } = read.graph
    return {
      status: 200,
      body: { keys: byKey(read), deadlocks, graph: toWireGraph(read.graph), patterns, truncated: read.truncated },
    }
  },
})

const NOTHING = {
  ...{ keys: [], deadlocks: [], patterns: [], truncated: false },
  graph: { parties: [], holds: [], waits: [], left: 0 },
}

function toWireGraph({ parties, holds, waits, deadlocks }: WaitGraph) {
  const circles = new Set(deadlocks.flatMap(({ circle }) => circle.map(({ party, key }) => `${party} ${key}`)))
  const isInCircle = ({ party, key }: WaitGraph['waits'][number]): boolean => circles.has(`${party} ${key}`)
  const told = [...waits].sort((a, b) => Number(isInCircle(b)) - Number(isInCircle(a))).slice(0, MOST_WAITS)
  const keys = new Set(told.map(({ key }) => key))
  const held = holds.filter(({ key }) => keys.has(key)).slice(0, MOST_WAITS)
  const met = new Set([...told, ...held].map(({ party }) => party))
  return {
    parties: [...met].map((id) => parties.get(id)!),
    holds: held.map((each) => ({ ...each, since: iso(each.since) })),
    waits: told.map((each) => ({ ...each, since: iso(each.since) })),
    left: waits.length - told.length,
  }
}

function byKey({ locks, waiters }: ReadWaits) {
  const keys = new Map<string, { waiters: number; instances: Set<string>; since: number }>()
  const at = (key: string, since: number) => {
    const found = keys.get(key) ?? { waiters: 0, instances: new Set<string>(), since }
    keys.set(key, found)
    found.since = Math.min(found.since, since)
    return found
  }
  for (const { name, waiters: line } of locks) for (const { since } of line) at(name, since).waiters += 1
  for (const { name, instanceId, since } of waiters) at(name, since).instances.add(instanceId)
  return [...keys]
    .map(([key, { waiters: line, instances, since }]) => ({ key, waiters: line, instances: instances.size, since }))
    .sort((a, b) => Math.max(b.waiters, b.instances) - Math.max(a.waiters, a.instances) || a.since - b.since)
    .slice(0, MOST_KEYS)
    .map((each) => ({ ...each, since: iso(each.since) }))
}
