/** Any sequence of calls is answered by PostgreSQL as by the simulated store, and neither lets more in than its policy says. */
import { parseDuration, seededRandom, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import type { CheckpointItem, EngineStore, StartItem } from '@lockstep/engine/ports'
import { type Db, openPostgres, postgresEngineStore, statement } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { simulatedStore, virtualClock } from '@lockstep/testing/simulation'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

const TENANT = 'acme'
const WORKFLOW = 'order'
const NODE = '00000000-0000-7000-8000-00000000000f'
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

type Call =
  | { readonly do: 'start'; readonly key: string; readonly priority: number }
  | { readonly do: 'again' | 'end' | 'cancel'; readonly nth: number }
  | { readonly do: 'pump' }
  | { readonly do: 'set'; readonly policy: object }

const key = { $expr: 'input.k' }
const policies: readonly object[] = [
  { concurrency: { limit: 1 } },
  { concurrency: { limit: 2, key } },
  { concurrency: { limit: 2 }, singleton: { key, onBusy: 'queue' } },
  { singleton: {} },
  { singleton: { key, onBusy: 'attach' } },
  { singleton: { key, onBusy: 'replace' } },
  { rate: { limit: 3, per: '1d' }, ageing: '1h' },
  { throttle: { limit: 2, per: '1d', key } },
  { batch: { size: 3, wait: '1d', key } },
  { debounce: { wait: '1d', key } },
  {},
]
const nth = fc.nat(30)
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      key: fc.constantFrom('a', 'b'),
      priority: fc.constantFrom(0, 0, 5, 9),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), nth }) },
  { weight: 2, arbitrary: fc.constant({ do: 'pump' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('again' as const, 'cancel' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set' as const), policy: fc.constantFrom(...policies) }) },
)

/** One store with the calls made so far; what it answers is plain data. */
function player(store: EngineStore) {
  let [made, flushNo] = [0, 0]
  const starts: Parameters<EngineStore['flow']['start']>[1][number][] = []
  const held = new Map<string, number>()
  const claim = async (): Promise<string[]> => {
    const request = { nodeId: NODE, queues: ['default'], limit: 100, aheadMs: 0, floorMs: undefined }
    const claims = await store.agenda.claim(request)
    for (const { instanceId, stim } of claims) held.set(instanceId, stim)
    return claims.map((each) => each.instanceId).sort()
  }
  return {
    async begin(): Promise<void> {
      await store.membership.join({ id: NODE, name: 'n', version: '1' })
      await store.definitions.registerFunction(TENANT, WORKFLOW, 1)
    },
    async play(each: Call): Promise<unknown> {
      switch (each.do) {
        case 'set':
          return store.flow.set(TENANT, WORKFLOW, JSON.stringify(each.policy))
        case 'start': {
          const load = await store.flow.get(TENANT, WORKFLOW)
          const policy = (load?.policy ?? {}) as Record<string, { key?: unknown }>
          const of = (name: string): string => (policy[name]?.key === undefined ? '' : each.key)
          const gathers = policy.batch ?? policy.debounce
          const item: StartItem = {
            ...{ tenant: TENANT, definitionId: WORKFLOW, version: undefined, correlationId: undefined },
            ...{ dedupeKey: undefined, parentId: undefined, parentStep: undefined, queue: 'default' },
            ...{ claimed: false, dueInMs: 0, started: { kind: 'started', data: `{"input":${made}}` } },
            instanceId: `00000000-0000-7000-9000-${(++made).toString(16).padStart(12, '0')}`,
          }
          const keys = {
            ...{
              singleton: of('singleton'),
              concurrency: of('concurrency'),
              rate: of('rate'),
              throttle: of('throttle'),
            },
            gather: gathers && (gathers.key === undefined ? '' : each.key),
          }
          const start = { item, keys, priority: each.priority, revision: load?.revision ?? 0 }
          starts.push(start)
          return told(await store.flow.start(NODE, [start]))
        }
        case 'again': {
          const start = starts[each.nth % Math.max(1, starts.length)]
          return start && told(await store.flow.start(NODE, [start]))
        }
        case 'cancel': {
          const id = starts[each.nth % Math.max(1, starts.length)]?.item.instanceId
          const message = { tenant: TENANT, kind: 'cancel', payload: '{}', dedupeKey: 'cancel' }
          return id && store.stimuli.send({ ...message, instanceId: id })
        }
        case 'pump': {
          const { admitted, waiting } = await store.flow.pump(NODE)
          return { admitted, waits: waiting.length > 0, claimed: await claim() }
        }
        case 'end': {
          const ids = [...held.keys()].sort()
          const id = ids[each.nth % Math.max(1, ids.length)]
          if (id === undefined) return 'nobody'
          const [inbox] = await store.agenda.inbox([id])
          held.delete(id)
          const item = endOf(id, inbox?.stim ?? 0)
          return (await store.commits.commit({ nodeId: NODE, flushNo: ++flushNo, starts: [], checkpoints: [item] }))
            .checkpoints
        }
      }
    },
    async rest(): Promise<unknown> {
      const load = await store.flow.get(TENANT, WORKFLOW)
      const rows = await store.instances.list(TENANT, {}, 100)
      const broken = [
        ...(await store.maintenance.examine('instances', undefined, 1_000)).broken,
        ...(await store.maintenance.examine('agenda', undefined, 1_000)).broken,
      ]
      return {
        counts: load && { alive: load.alive, waiting: load.waiting, gathering: load.gathering },
        instances: rows.map(({ id, status, input }) => ({ id, status, input: input ?? null })),
        broken,
      }
    },
  }
}

/** Times aside. */
const told = (verdicts: readonly object[]): unknown =>
  verdicts.map(({ at: _at, retryInMs: _in, ...verdict }: { at?: number; retryInMs?: number }) => verdict)

const endOf = (instanceId: string, stim: number): CheckpointItem => ({
  ...{
    tenant: TENANT,
    instanceId,
    claimNo: 1,
    seq: 2,
    stim,
    facts: [{ kind: 'ended', data: '{"status":"completed"}' }],
  },
  ...{ opens: [], closes: [], consumes: [], publishes: [], incidents: [], snapshot: undefined, survived: false },
  parent: undefined,
  then: { kind: 'end', status: 'completed' },
})

describe('flow control', () => {
  let db: Db
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await cloneDatabase(inject('postgres'))
    db = await openPostgres({ url: database.url, ...edge })
    drop = async () => {
      await db.close()
      await database.drop()
    }
  })
  afterAll(() => drop?.())

  it('answers any sequence as the simulated store does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...policies),
        fc.array(call, { minLength: 5, maxLength: 30 }),
        async (first, calls) => {
          await db.script(
            'truncate node, definition, definition_version, instance, agenda, journal, inbox, flush, flow_policy, flow_ticket, flow_lane, flow_freed, flow_pass, flow_input cascade',
          )
          const real = player(postgresEngineStore(db))
          const clock = virtualClock()
          const model = player(simulatedStore({ clock, random: seededRandom(1) }).direct)
          await Promise.all([real.begin(), model.begin()])
          for (const each of [{ do: 'set' as const, policy: first }, ...calls, { do: 'pump' as const }]) {
            await clock.advance(1) // As it does between two calls of the real one: who came first is seen.
            expect({ each, answer: await real.play(each) }).toEqual({ each, answer: await model.play(each) })
          }
          expect(await real.rest()).toEqual(await model.rest())
        },
      ),
      { numRuns: 40 },
    )
  })

  it('reads durations as the engine does', async () => {
    const ms = statement<{ span: string }, { ms: number }>(
      'test_flow_ms',
      (p) => [p.span],
      'select lockstep_flow_ms($1::jsonb) as ms',
    )
    const short = fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom('ms', 's', 'm', 'h', 'd', ' s'))
    const span = fc.oneof(
      fc.integer({ min: 1, max: 1e12 }),
      short.map(([count, unit]) => `${count}${unit}`),
      fc.constantFrom('PT15M', 'P1DT2H', 'PT0.5S', 'P2W', 'PT90S', '1.5h'),
    )
    await fc.assert(
      fc.asyncProperty(span, async (each) => {
        expect((await db.one(ms, { span: JSON.stringify(each) })).ms).toBeCloseTo(parseDuration(each), 3)
      }),
      { numRuns: 60 },
    )
  })
})
