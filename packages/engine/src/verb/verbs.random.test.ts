/**
 * Random graphs, random verbs at random moments, on two nodes that crash and stand still. In the end everything that was stopped is sent on:
 * then every instance ends, journals are one chain each, a fold from the beginning is the fold from the snapshot, and doctor finds nothing.
 */
import { type JsonObject, type Random, seededRandom } from '@lockstep/base'
import { expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import { compileExpression } from '../expression/expression.ts'
import { compileGraph } from '../graph/compile-graph.ts'
import type { GraphDocument } from '../graph/document.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import type { GraphState } from '../graph/graph-state.ts'
import { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

const SEEDS = 40
const NODES = ['a', 'b']
const DEFINITIONS = 2

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random.next() * list.length)]!

/** A graph of steps that run, wait, fail, nap and nest. Ids are the same in each version, so that every version can follow another. */
function randomBody(random: Random, ids: { next: number }, depth: number): JsonObject {
  const activities: JsonObject[] = []
  const count = 1 + Math.floor(random.next() * 3)
  for (let n = 0; n < count; n += 1) activities.push(randomActivity(random, `s${ids.next++}`, ids, depth))
  const connections = activities.slice(1).map((each, n) => ({ from: activities[n]!.id!, to: each.id! }))
  return { activities, connections }
}

function randomActivity(random: Random, id: string, ids: { next: number }, depth: number): JsonObject {
  const draw = random.next()
  if (depth < 2 && draw < 0.12)
    return {
      id,
      type: 'parallel',
      inputs: { join: pick(random, ['all', 'any']) },
      branches: [randomBody(random, ids, depth + 1), randomBody(random, ids, depth + 1)],
    }
  if (depth < 2 && draw < 0.22)
    return { id, type: 'for-each', inputs: { items: [1, 2], concurrency: 2 }, body: randomBody(random, ids, depth + 1) }
  if (depth < 2 && draw < 0.3)
    return { id, type: 'try', body: randomBody(random, ids, depth + 1), catch: randomBody(random, ids, depth + 1) }
  if (draw < 0.42) return { id, type: 'delay', inputs: { duration: pick(random, ['20ms', '300ms', '4s']) } }
  if (draw < 0.54) return { id, type: 'wait-for-event', inputs: { event: 'go', timeout: pick(random, ['1s', '1h']) } }
  if (depth < 3 && draw < 0.6) return { id, type: 'run-workflow', inputs: { definitionId: 'leaf' } }
  if (draw < 0.7) return { id, type: 'set-variable', inputs: { name: 'n', value: { $expr: 'vars.n + 1' } } }
  if (draw < 0.78) return { id, type: 'toy', effect: 'atMostOnce' }
  return { id, type: 'toy', retry: { attempts: 2, backoff: { initial: '30ms' } } }
}

/** Kinds of facts that any of them wrote. */
const seen = new Set<string>()

async function campaign(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const engines = new SimulatedEngines(seed)
  const { sim } = engines
  let isCalm = false
  const toy = effect('toy', async () => {
    if (!isCalm && random.next() < 0.15) throw Object.assign(new Error('not today'), { code: 'TOY' })
    return done()
  })
  const living = new Map<string, Engine>()
  const boot = async (name: string): Promise<void> => {
    living.set(name, await engines.boot(name, [toy], { warmLimit: 2 }))
  }
  for (const name of NODES) await boot(name)
  const any = (): Engine => living.get(pick(random, NODES))!
  const variables = { n: { type: 'number', default: 0 } }
  await engines.publish(any(), { id: 'leaf', ...randomBody(random, { next: 0 }, 3), variables } as never)
  const documents = new Map<string, GraphDocument[]>()
  for (let n = 0; n < DEFINITIONS; n += 1) {
    const document = { id: `g${n}`, variables, ...randomBody(random, { next: 0 }, 0) }
    // The same steps with one more at the end: what is alive in the one is alive in the other.
    const { activities, connections } = document as unknown as { activities: JsonObject[]; connections: JsonObject[] }
    const more = [...activities, { id: 'last', type: 'toy' }]
    const longer = {
      ...document,
      activities: more,
      connections: [...connections, { from: activities.at(-1)!.id!, to: 'last' }],
    }
    await engines.publish(any(), document as never)
    await engines.drive(any().definitions.saveDraft('default', document.id, longer as never, undefined))
    await engines.drive(any().definitions.publish('default', document.id))
    documents.set(document.id, [document, longer] as never)
  }
  const tables = sim.store.inspect()
  const ids = (): string[] => [...tables.instances.keys()]
  const quiet = (promise: Promise<unknown>): void => void promise.catch(() => undefined)

  for (let turn = 0; turn < 60; turn += 1) {
    const engine = any()
    const id = ids().length === 0 ? undefined : pick(random, ids())
    const draw = random.next()
    if (draw < 0.2 || id === undefined)
      quiet(
        engine.start({ definitionId: `g${Math.floor(random.next() * DEFINITIONS)}`, version: pick(random, [1, 2]) }),
      )
    else if (draw < 0.3) quiet(engine.publish({ name: 'go', ttlMs: 50 }))
    else if (draw < 0.45) quiet(engine.verbs.pause(id))
    else if (draw < 0.58) quiet(engine.verbs.continue(id))
    else if (draw < 0.66) quiet(engine.verbs.retry(id, { force: random.next() < 0.5 }))
    else if (draw < 0.7) quiet(retryFromSomewhere(engine, id, random))
    else if (draw < 0.78) quiet(engine.verbs.migrate(id, { version: pick(random, [1, 2]) }))
    else if (draw < 0.82) quiet(engine.verbs.setVariables(id, { n: turn }))
    else if (draw < 0.86) quiet(engine.verbs.fork(id, { at: 1 + Math.floor(random.next() * 6) }))
    else if (draw < 0.88) quiet(engine.verbs.terminate(id, { children: random.next() < 0.5 }))
    else if (draw < 0.9) quiet(engine.cancel(id))
    else if (draw < 0.95) {
      const name = pick(random, NODES)
      sim.crash(name)
      await boot(name)
    } else {
      const name = pick(random, NODES)
      sim.pause(name)
      await sim.run(random.next() * 1_500)
      sim.resume(name)
    }
    await sim.run(random.next() * 150)
  }

  isCalm = true
  const engine = any()
  const open = () =>
    [...tables.instances.values()].filter((row) => row.finishedAt === undefined || row.status === 'faulted')
  for (let round = 0; round < 60 && open().length > 0; round += 1) {
    await engines.drive(engine.publish({ name: 'go', ttlMs: 1_000 }))
    for (const { id, status } of open()) {
      if (status === 'faulted' || status === 'quarantined') await engines.drive(engine.verbs.retry(id, { force: true }))
      else {
        await engines.drive(engine.verbs.continue(id))
        await engines.drive(engine.verbs.retry(id)) // where it waits at an incident
      }
    }
    await sim.run(3_000)
  }
  await sim.run(5_000)
  const stuck = open().map(({ id, status }) => `${id} ${status}: ${engines.facts(id).join(', ')}`)
  expect({ seed, stuck }).toEqual({ seed, stuck: [] })
  expect({ seed, violations: sim.check() }).toEqual({ seed, violations: [] })
  const { findings } = await engines.drive(engine.doctor())
  const found = findings.flatMap(({ code, examples }) =>
    examples.map(({ instanceId, detail }) => `${code} ${detail}: ${engines.facts(instanceId ?? '').join(', ')}`),
  )
  expect({ seed, found }).toEqual({ seed, found: [] })
  for (const rows of tables.journal.values()) for (const { kind } of rows) seen.add(kind)
  for (const id of ids()) await compareFolds(engines, engine, documents, id)
}

async function retryFromSomewhere(engine: Engine, id: string, random: Random): Promise<void> {
  const rows = await engine.journal(id)
  const steps = rows.flatMap(({ data }) => (data as { step?: string }).step ?? [])
  if (steps.length > 0) await engine.verbs.retry(id, { step: pick(random, steps), force: true })
}

/** What is in the snapshot is what the facts say. */
async function compareFolds(
  engines: SimulatedEngines,
  engine: Engine,
  documents: ReadonlyMap<string, readonly GraphDocument[]>,
  id: string,
): Promise<void> {
  const [loaded] = await engines.sim.store.direct.agenda.load([id])
  const document = documents.get(loaded!.definitionId)?.[loaded!.version - 1]
  if (loaded === undefined || document === undefined) return
  const program = compileGraph(document, engine.activities, compileExpression)
  const all = (await engines.sim.store.direct.instances.journal('default', id, 0, 10_000)).map((row) => ({ ...row }))
  const { snapshot, snapshotAt, facts } = loaded
  const last = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
  expect({ id, state: bare(foldJournal(program, last, facts)) }).toEqual({
    id,
    state: bare(foldJournal(program, undefined, all)),
  })
}

/** Without what is not part of the fold. */
function bare(state: GraphState): unknown {
  const { ready: _, cancelled: __, waits, ...rest } = structuredClone(state)
  return { ...rest, waits: Object.values(waits).map(({ taken: ___, ...wait }) => wait) }
}

const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1)
it.each(seeds)('any verbs at any time leave every instance able to end, seed %i', (seed) => campaign(seed), 60_000)

it('met every verb', () => {
  const verbs = ['paused', 'continued', 'retried', 'rewound', 'migrated', 'forked', 'assigned', 'cancelled']
  expect(verbs.filter((kind) => !seen.has(kind))).toEqual([])
})
