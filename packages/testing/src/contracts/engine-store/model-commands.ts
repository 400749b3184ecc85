import type { EngineStore } from '@lockstep/engine/ports'
import fc from 'fast-check'
import { expect } from 'vitest'
import { commitCommands } from './commit-commands.ts'
import { event, HOUR, idSource, QUEUE, TENANT, WORKFLOW } from './fixture.ts'
import { emptyModel, type Model, modelFree, modelMatch, modelResume, stimulate } from './model.ts'
import { type Command, command, NAMES, nodesOf, pick, type Real, runsOf } from './model-command.ts'

const hasNodes = (model: Readonly<Model>): boolean => model.nodes.size > 0
const hasRuns = (model: Readonly<Model>): boolean => model.runs.size > 0

const join = fc.constant(
  command('join', async (model, { store, newId }) => {
    const id = newId()
    await store.membership.join({ id, name: 'node', version: '1' })
    model.nodes.set(id, { beat: 0, flushNo: 0 })
  }),
)

const beat = fc.nat(7).map((choice) =>
  command(
    `beat(${choice})`,
    async (model, { store }) => {
      const id = pick([...nodesOf(model), ...model.gone], choice) ?? 'none'
      const own = model.nodes.get(id)
      if (own !== undefined) own.beat += 1
      const answer = await store.membership.beat(id)
      const others = [...model.nodes]
        .filter(([other]) => other !== id)
        .map(([other, row]) => ({ id: other, name: 'node', beat: row.beat, room: 0 }))
      expect({ alive: answer.alive, others: byId(answer.others) }).toEqual({
        alive: own !== undefined,
        others: byId(others),
      })
    },
    (model) => model.nodes.size + model.gone.length > 0,
  ),
)

const bury = fc.tuple(fc.nat(7), fc.boolean()).map(([choice, isStale]) =>
  command(
    `bury(${choice}, ${isStale ? 'stale' : 'silent'})`,
    async (model, { store }) => {
      const id = pick(nodesOf(model), choice)!
      const seen = model.nodes.get(id)!.beat + (isStale ? -1 : 0)
      expect(await store.membership.bury({ id, beat: seen })).toBe(!isStale)
      if (!isStale) modelFree(model, id, 'kept')
    },
    hasNodes,
  ),
)

const leave = fc.nat(7).map((choice) =>
  command(
    `leave(${choice})`,
    async (model, { store }) => {
      const id = pick(nodesOf(model), choice)!
      await store.membership.leave(id)
      modelFree(model, id, 'forgotten')
    },
    hasNodes,
  ),
)

const claim = fc.tuple(fc.nat(7), fc.integer({ min: 1, max: 4 }), fc.boolean()).map(([choice, limit, ahead]) =>
  command(
    `claim(${choice}, ${limit}, ${ahead ? 'ahead' : 'due'})`,
    async (model, { store }) => {
      const nodeId = pick(nodesOf(model), choice)!
      const free = runsOf(model).filter(
        ({ agenda }) => agenda !== undefined && agenda.owner === undefined && (ahead || agenda.due === 'now'),
      )
      const claims = await store.agenda.claim({
        nodeId,
        queues: [QUEUE],
        limit,
        aheadMs: ahead ? 2 * HOUR : 0,
        floorMs: undefined,
      })
      expect(claims).toHaveLength(Math.min(limit, free.length))
      for (const taken of claims) {
        const run = free.find(({ id }) => id === taken.instanceId)
        expect(run, `claimed ${taken.instanceId}, which was not free`).toBeDefined()
        run!.claimNo += 1
        run!.agenda = { ...run!.agenda!, owner: nodeId, crashes: run!.agenda!.crashes + 1 }
        expect(taken).toMatchObject({
          tenant: TENANT,
          claimNo: run!.claimNo,
          stim: run!.agenda.stim,
          crashes: run!.agenda.crashes,
        })
      }
    },
    hasNodes,
  ),
)

const release = fc.tuple(fc.nat(7), fc.nat(20)).map(([choice, which]) =>
  command(
    `release(${choice}, ${which})`,
    async (model, { store }) => {
      const [nodeId, run] = [pick(nodesOf(model), choice)!, pick(runsOf(model), which)!]
      await store.agenda.release(nodeId, [run.id])
      if (run.agenda?.owner === nodeId)
        run.agenda = { ...run.agenda, owner: undefined, crashes: Math.max(0, run.agenda.crashes - 1) }
    },
    (model) => hasNodes(model) && hasRuns(model),
  ),
)

const resume = fc.tuple(fc.nat(20), fc.constantFrom(undefined, 'id', ...NAMES)).map(([which, by]) =>
  command(
    `resume(${which}, ${by})`,
    async (model, { store }) => {
      const run = pick(runsOf(model), which)!
      const asked = by === 'id' ? (run.bookmarks[0]?.id ?? run.waited.at(-1)?.id) : by
      const expected = modelResume(model, run.id, asked)
      expect(
        await store.stimuli.resume({ tenant: TENANT, instanceId: run.id, bookmark: asked, payload: '{}' }),
      ).toEqual(expected)
    },
    hasRuns,
  ),
)

const send = fc
  .tuple(fc.nat(20), fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }))
  .map(([which, dedupeKey]) =>
    command(
      `send(${which}, ${dedupeKey})`,
      async (model, { store }) => {
        const run = pick(runsOf(model), which)!
        expect(
          await store.stimuli.send({ tenant: TENANT, instanceId: run.id, kind: 'edit', payload: '{}', dedupeKey }),
        ).toBe(!run.ended)
        if (run.ended) return
        const isKnown = dedupeKey !== undefined && run.inbox.some((message) => message.dedupeKey === dedupeKey)
        if (!isKnown) run.inbox.push({ kind: 'edit', bookmarkId: undefined, name: undefined, dedupeKey })
        stimulate(run)
      },
      hasRuns,
    ),
  )

const publish = fc
  .tuple(fc.constantFrom(...NAMES), fc.option(fc.constant('c'), { nil: undefined }), fc.boolean())
  .map(([name, correlationId, matches]) =>
    command(`publish(${name}, ${correlationId}, ${matches ? 'match' : 'keep'})`, async (model, { store, newId }) => {
      const id = newId()
      await store.stimuli.publish(event(id, { name, correlationId }))
      model.events.push({ id, name, correlationId, matched: false })
      if (matches) expect(await store.stimuli.match(TENANT, id, 100)).toBe(modelMatch(model, id))
    }),
  )

const settle = fc.constant(
  command('settle', async (model, { store }) => {
    // Until all are settled: how many rounds that takes is the store's business.
    let matched = 0
    for (let open = 1, rounds = 0; open > 0; rounds += 1) {
      expect(rounds).toBeLessThan(1_000)
      const round = await store.stimuli.settle(100)
      matched += round.matched
      open = round.open
    }
    // One that was settled before is not matched again; nobody can wait for it, or the bookmark would have taken it.
    let expected = 0
    for (const each of model.events) if (!each.settled) expected += modelMatch(model, each.id)
    for (const each of model.events) each.settled = true
    expect(matched).toBe(expected)
  }),
)

const register = fc.constant(
  command('publish a version', async (model, { store }) => {
    model.published += 1
    await store.definitions.registerFunction(TENANT, WORKFLOW, model.published)
  }),
)

const look = fc.constant(command('look', (model, { store }) => expectSame(model, store)))

/** Everything that can be read, held against the model. */
export async function expectSame(model: Model, store: EngineStore): Promise<void> {
  const ids = [...model.runs.keys()]
  const [loaded, inboxes] = [await store.agenda.load(ids), await store.agenda.inbox(ids)]
  expect(loaded.map((run) => run.instanceId).sort()).toEqual([...ids].sort())
  for (const found of loaded) {
    const run = model.runs.get(found.instanceId)!
    expect(found).toMatchObject({ status: run.status, version: run.version, snapshotSeq: run.snapshotSeq })
    expect(found.facts.map((fact) => [fact.seq, fact.kind])).toEqual(
      run.facts.map((fact, index) => [index + 1, fact.kind]).slice(run.snapshotSeq),
    )
    expect(found.openBookmarks.map((row) => row.id).sort()).toEqual(run.bookmarks.map((row) => row.id).sort())
    const journal = await store.instances.journal(TENANT, run.id, 0, 1_000)
    expect(journal.map(({ kind, nodeId, claimNo }) => ({ kind, nodeId, claimNo }))).toEqual(run.facts)
    expect((await store.instances.get(TENANT, run.id))!.nodeId).toBe(run.agenda?.owner)
  }
  expect(inboxes.map((inbox) => inbox.instanceId).sort()).toEqual(
    ids.filter((id) => model.runs.get(id)!.agenda !== undefined).sort(),
  )
  for (const inbox of inboxes) {
    const run = model.runs.get(inbox.instanceId)!
    expect(inbox.stim).toBe(run.agenda!.stim)
    expect(inbox.messages.map(({ kind, bookmarkId }) => ({ kind, bookmarkId }))).toEqual(
      run.inbox.map(({ kind, bookmarkId }) => ({ kind, bookmarkId })),
    )
  }
  for (const nodeId of model.nodes.keys()) {
    const owned = runsOf(model).filter((run) => run.agenda?.owner === nodeId)
    expect((await store.agenda.claims(nodeId)).map((each) => each.instanceId).sort()).toEqual(
      owned.map((run) => run.id).sort(),
    )
  }
}

export const commands: fc.Arbitrary<Command>[] = [
  join,
  beat,
  bury,
  leave,
  claim,
  claim,
  claim,
  release,
  resume,
  resume,
  send,
  publish,
  publish,
  settle,
  register,
  look,
  ...commitCommands,
]

export async function openModel(store: EngineStore): Promise<{ model: Model; real: Real }> {
  await store.definitions.registerFunction(TENANT, WORKFLOW, 1)
  return { model: emptyModel(), real: { store, newId: idSource() } }
}

const byId = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
