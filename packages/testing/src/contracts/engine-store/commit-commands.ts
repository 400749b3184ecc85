import type { CheckpointItem, CommitBatch, CommitResult, NewBookmark, StartItem } from '@lockstep/engine/ports'
import fc from 'fast-check'
import { expect } from 'vitest'
import { bookmark, COMPLETED, checkpoint, dueIn, event, HOUR, SUSPENDED, startItem, waitingFact } from './fixture.ts'
import { type Model, type ModelRun, modelApply, modelJudge, modelStart } from './model.ts'
import { type Command, command, NAMES, nodesOf, pick, type Real, runsOf } from './model-command.ts'

/** One checkpoint, described without ids. */
interface Plan {
  readonly which: number
  readonly then: 'hold' | 'wait' | 'due' | 'later' | 'end'
  readonly opens: readonly { readonly name: string; readonly kind: 'event' | 'signal'; readonly correlated: boolean }[]
  readonly closes: boolean
  readonly consumes: boolean
  readonly publishes: string | undefined
  readonly snapshot: boolean
  readonly survived: boolean
  readonly parent: boolean
  /** What is wrong with it. */
  readonly flaw: 'none' | 'claim' | 'stim' | 'gap' | 'owner'
}

const plan: fc.Arbitrary<Plan> = fc.record({
  which: fc.nat(20),
  then: fc.constantFrom('hold', 'wait', 'due', 'later', 'end'),
  opens: fc.array(
    fc.record({ name: fc.constantFrom(...NAMES), kind: fc.constantFrom('event', 'signal'), correlated: fc.boolean() }),
    { maxLength: 2 },
  ),
  closes: fc.boolean(),
  consumes: fc.boolean(),
  publishes: fc.option(fc.constantFrom(...NAMES), { nil: undefined, freq: 3 }),
  snapshot: fc.boolean(),
  survived: fc.boolean(),
  parent: fc.boolean(),
  flaw: fc.constantFrom('none', 'none', 'none', 'none', 'claim', 'stim', 'gap', 'owner'),
})

interface StartPlan {
  readonly claimed: boolean
  readonly later: boolean
  readonly dedupeKey: string | undefined
  readonly known: boolean
}

const startPlan: fc.Arbitrary<StartPlan> = fc.record({
  claimed: fc.boolean(),
  later: fc.boolean(),
  dedupeKey: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined, freq: 2 }),
  known: fc.constantFrom(true, true, true, false),
})

const THEN = { hold: { kind: 'hold' }, wait: SUSPENDED, due: dueIn(-1), later: dueIn(HOUR), end: COMPLETED } as const

const commit = fc
  .record({
    node: fc.nat(7),
    starts: fc.array(startPlan, { maxLength: 2 }),
    plans: fc.array(plan, { maxLength: 3 }),
    repeats: fc.boolean(),
  })
  .map(({ node, starts, plans, repeats }) =>
    command(
      `commit(${node}, ${JSON.stringify(starts)}, ${JSON.stringify(plans)}${repeats ? ', twice' : ''})`,
      async (model, real) => {
        const nodeId = pick(nodesOf(model), node)!
        const checkpoints = await toItems(model, real, nodeId, plans)
        const batch: CommitBatch = {
          nodeId,
          flushNo: ++model.nodes.get(nodeId)!.flushNo,
          starts: starts.map((each) => toStart(each, real)),
          checkpoints,
        }
        const expected = expectedOf(model, batch)
        const answer = await real.store.commits.commit(batch)
        expect(verdictsOf(answer)).toEqual({ ...expected, repeated: false })
        if (repeats) expect(verdictsOf(await real.store.commits.commit(batch))).toEqual({ ...expected, repeated: true })
      },
      (model) => model.nodes.size > 0,
    ),
  )

/** What is still on the way when its node is buried comes to nothing. */
const commitAfterDeath = fc.tuple(fc.nat(7), fc.nat(20)).map(([choice, which]) =>
  command(
    `commit of the dead(${choice}, ${which})`,
    async (model, { store, newId }) => {
      const run = pick(runsOf(model), which)
      const batch: CommitBatch = {
        nodeId: pick(model.gone, choice)!,
        flushNo: 10_000,
        starts: [startItem(newId())],
        checkpoints: run === undefined ? [] : [checkpoint(run.id, { claimNo: run.claimNo, seq: run.facts.length + 1 })],
      }
      await expect(store.commits.commit(batch)).rejects.toMatchObject({ code: 'FENCED' })
    },
    (model) => model.gone.length > 0,
  ),
)

export const commitCommands: fc.Arbitrary<Command>[] = [commit, commit, commit, commit, commit, commitAfterDeath]

const verdictsOf = ({ starts, checkpoints, repeated }: CommitResult) => ({ starts, checkpoints, repeated })

function expectedOf(model: Model, batch: CommitBatch): Pick<CommitResult, 'starts' | 'checkpoints'> {
  const verdicts = batch.checkpoints.map((item) => modelJudge(model, batch.nodeId, item))
  // Starts are made in the order of their keys, as the store locks them.
  const keyOf = (item: StartItem): string => item.dedupeKey ?? item.instanceId
  const order = [...batch.starts].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
  const started = new Map(order.map((item) => [item, modelStart(model, batch.nodeId, item)]))
  const written = batch.checkpoints.filter((_, place) => verdicts[place]!.kind === 'written')
  modelApply(
    model,
    batch.nodeId,
    written.sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1)),
  )
  return { starts: batch.starts.map((item) => started.get(item)!), checkpoints: verdicts }
}

function toStart({ claimed, later, dedupeKey, known }: StartPlan, { newId }: Real): StartItem {
  return startItem(newId(), {
    claimed,
    dueInMs: later ? HOUR : 0,
    dedupeKey,
    ...(known ? {} : { definitionId: 'nowhere' }),
  })
}

/** At most one per instance. Prefers instances that this node owns: the others are refused, which is soon boring. */
async function toItems(model: Model, real: Real, nodeId: string, plans: readonly Plan[]): Promise<CheckpointItem[]> {
  const chosen = new Map<string, CheckpointItem>()
  let publishes = false
  for (const each of plans) {
    const owned = runsOf(model).filter((run) => run.agenda?.owner === nodeId)
    const run = pick(each.flaw === 'owner' || owned.length === 0 ? runsOf(model) : owned, each.which)
    if (run === undefined || chosen.has(run.id)) continue
    // Two events of one commit have one age: which of them a bookmark takes is open, so there is only one.
    const item = await toItem(model, real, run, publishes ? { ...each, publishes: undefined } : each)
    publishes ||= item.publishes.length > 0
    chosen.set(run.id, item)
  }
  return [...chosen.values()]
}

async function toItem(model: Model, { store, newId }: Real, run: ModelRun, each: Plan): Promise<CheckpointItem> {
  const stim = run.agenda?.stim ?? 0
  const opens = each.then === 'end' ? [] : each.opens.map((open) => toBookmark(newId(), open))
  const closes = each.then === 'end' || each.closes ? run.bookmarks.map((row) => row.id) : []
  const [inbox] = each.consumes ? await store.agenda.inbox([run.id]) : []
  const parent = each.parent && each.then === 'end' ? pick(runsOf(model), each.which + 1) : undefined
  const facts =
    opens.length === 0 ? [{ kind: each.then === 'end' ? 'ended' : 'completed', data: '{}' }] : opens.map(waitingFact)
  return checkpoint(run.id, {
    claimNo: run.claimNo - (each.flaw === 'claim' ? 1 : 0),
    seq: run.facts.length + 1 + (each.flaw === 'gap' ? 1 : 0),
    stim: stim - (each.flaw === 'stim' ? 1 : 0),
    facts,
    then: THEN[each.then],
    opens,
    closes,
    consumes: inbox?.messages.map((message) => message.id) ?? [],
    publishes: each.publishes === undefined ? [] : [event(newId(), { name: each.publishes })],
    snapshot: each.snapshot && each.then !== 'hold' ? '{}' : undefined,
    survived: each.survived,
    parent: parent && { instanceId: parent.id, step: 'sub', payload: '{}' },
  })
}

function toBookmark(id: string, { name, kind, correlated }: Plan['opens'][number]): NewBookmark {
  const correlationId = correlated ? 'c' : undefined
  return bookmark(id, { name, kind, correlationId, hash: `${kind} ${name} ${correlationId}` })
}
