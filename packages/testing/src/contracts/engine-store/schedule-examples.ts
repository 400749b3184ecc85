import type { FireWrite, NewRun, NewSchedule, RunAnswer, ScheduleChange, TakenSchedule } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import { type Bench, COMPLETED, type ContractNode, checkpoint, HOUR, TENANT, WORKFLOW } from './fixture.ts'

const MOMENT = Date.UTC(2026, 2, 29, 1)

const saved = (extra: Partial<NewSchedule> & { readonly overlap?: string } = {}): NewSchedule => {
  const { overlap = 'skip', ...rest } = extra
  return {
    document: JSON.stringify({ trigger: { cron: '0 1 * * *' }, overlap }),
    definitionId: WORKFLOW,
    owner: undefined,
    activity: undefined,
    paused: false,
    after: [],
    ...rest,
  }
}

const write = (id: string, extra: Partial<FireWrite> = {}): FireWrite => ({
  tenant: TENANT,
  id,
  dueAt: undefined,
  wakeAt: undefined,
  lastFiredAt: undefined,
  round: undefined,
  runs: [],
  cancels: [],
  dropsWaiting: false,
  ...extra,
})

interface Site {
  readonly b: Bench
  readonly node: ContractNode
  /** A schedule that wakes at `wakeInMs` from now. */
  put(id: string, wakeInMs?: number, save?: NewSchedule): Promise<void>
  run(kind: 'start' | 'wait', key: string): NewRun
  /** Fires whatever is due with these decisions; answers what was taken and what came of it. */
  fire(
    decide?: (taken: TakenSchedule, now: number) => Partial<FireWrite>,
    limit?: number,
  ): Promise<{ readonly taken: readonly TakenSchedule[]; readonly runs: readonly RunAnswer[] }>
  change(
    id: string,
    decide: (
      current: TakenSchedule | undefined,
      now: number,
      pausedFor: string | undefined,
    ) => ScheduleChange | undefined,
  ): Promise<readonly RunAnswer[]>
  /** The owner of an instance ends it. */
  end(instanceId: string, status?: string): Promise<void>
}

async function site(open: () => Promise<Bench>): Promise<Site> {
  const b = await open()
  const node = await b.joined()
  const { schedules } = b.store
  await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1)
  const change: Site['change'] = async (id, decide) => (await schedules.change(node.id, TENANT, id, decide)).runs
  return {
    b,
    node,
    put: async (id, wakeInMs = -1_000, save = saved()) => {
      await change(id, (_, now) => ({
        kind: 'write',
        save,
        fire: write(id, { dueAt: MOMENT, wakeAt: now + wakeInMs }),
      }))
    },
    run: (kind, key) => ({
      kind,
      id: b.newId(),
      key,
      at: MOMENT,
      origin: 'schedule',
      late: false,
      started: '{"input":{"n":1}}',
    }),
    fire: async (decide = () => ({}), limit = 100) => {
      let seen: readonly TakenSchedule[] = []
      const answer = await schedules.fire(node.id, limit, (taken, now) => {
        seen = taken
        return taken.map((each) => write(each.id, decide(each, now)))
      })
      expect(answer.taken).toBe(seen.length)
      return { taken: seen, runs: answer.runs }
    },
    change,
    end: async (instanceId, status = 'completed') => {
      const [claim] = (
        await b.store.agenda.claim({
          nodeId: node.id,
          queues: [`fn/${WORKFLOW}/1`],
          limit: 100,
          aheadMs: 0,
          floorMs: undefined,
        })
      ).filter((each) => each.instanceId === instanceId)
      const { claimNo, stim } = claim!
      const facts = [{ kind: 'ended', data: JSON.stringify({ status }) }]
      await node.checkpoint(checkpoint(instanceId, { claimNo, stim, facts, then: { ...COMPLETED, status } }))
    },
  }
}

export function scheduleExamples(open: () => Promise<Bench>): void {
  it('says when the next schedule wakes, by its own clock', async () => {
    const s = await site(open)
    expect(await s.b.store.schedules.look()).toEqual({ due: false, nextInMs: undefined, waiting: false, stale: false })
    await s.put('later', HOUR)
    const look = await s.b.store.schedules.look()
    expect(look).toMatchObject({ due: false, waiting: false })
    expect(look.nextInMs).toBeGreaterThan(HOUR - 60_000)
    expect((await s.fire()).taken).toEqual([])
    await s.put('now')
    expect((await s.b.store.schedules.look()).due).toBe(true)
  })

  it('starts a run and moves its schedule on in one', async () => {
    const s = await site(open)
    await s.put('nightly')
    const { taken, runs } = await s.fire((_, now) => ({
      dueAt: MOMENT + HOUR,
      wakeAt: now + HOUR,
      lastFiredAt: MOMENT,
      round: '{"id":"r"}',
      runs: [s.run('start', 'nightly@1')],
    }))
    expect(taken).toMatchObject([{ id: 'nightly', revision: 1, dueAt: MOMENT, running: [], waiting: [], ends: [] }])
    expect(runs).toMatchObject([{ scheduleId: 'nightly', key: 'nightly@1', state: 'started', created: true }])
    expect(await s.b.store.schedules.get(TENANT, 'nightly')).toMatchObject({
      dueAt: MOMENT + HOUR,
      lastFiredAt: MOMENT,
      round: { id: 'r' },
    })
    const instanceId = runs[0]!.instanceId!
    expect(await s.b.store.instances.get(TENANT, instanceId)).toMatchObject({
      definitionId: WORKFLOW,
      version: 1,
      status: 'queued',
      input: { n: 1 },
    })
    expect(await s.b.store.schedules.runs(TENANT, 'nightly', undefined, 10)).toMatchObject([
      { id: instanceId, key: 'nightly@1', state: 'started', instanceId, nominalAt: MOMENT, nodeId: s.node.id },
    ])
    expect((await s.fire()).taken).toEqual([])
  })

  it('starts one instance per key, whoever used the key first', async () => {
    const s = await site(open)
    const bySomebody = await s.b.started(s.node, { dedupeKey: 'nightly@1' })
    await s.put('nightly')
    const first = await s.fire(() => ({ runs: [s.run('start', 'nightly@1')] }))
    expect(first.runs).toMatchObject([{ state: 'started', instanceId: bySomebody, created: true }])
    await s.put('nightly')
    const second = await s.fire(() => ({ runs: [s.run('start', 'nightly@1')] }))
    expect(second.runs).toMatchObject([{ state: 'started', instanceId: bySomebody, created: false }])
    expect(await s.b.store.schedules.runs(TENANT, 'nightly', undefined, 10)).toHaveLength(1)
  })

  it('hands a schedule to one of several who fire at once', async () => {
    const s = await site(open)
    const ids = Array.from({ length: 20 }, (_, n) => `s-${n}`)
    for (const id of ids) await s.put(id)
    const rounds = await Promise.all(
      Array.from({ length: 4 }, () => s.fire((taken) => ({ runs: [s.run('start', `${taken.id}@1`)] }), 20)),
    )
    const last = await s.fire((taken) => ({ runs: [s.run('start', `${taken.id}@1`)] }), 20)
    const started = [...rounds, last].flatMap((round) => round.runs.filter((run) => run.created))
    expect(started.map((run) => run.scheduleId).sort()).toEqual([...ids].sort())
  })

  it('takes no more than asked, the longest due first', async () => {
    const s = await site(open)
    await s.put('young', -1_000)
    await s.put('old', -60_000)
    expect((await s.fire(undefined, 1)).taken.map((each) => each.id)).toEqual(['old'])
    expect((await s.fire(undefined, 1)).taken.map((each) => each.id)).toEqual(['young'])
  })

  it('skips what nobody published, and lets the run behind it have its turn', async () => {
    const s = await site(open)
    await s.put('orphan', -1_000, saved({ definitionId: 'nowhere', overlap: 'queue' }))
    const { runs } = await s.fire(() => ({ runs: [s.run('start', 'orphan@1'), s.run('wait', 'orphan@2')] }))
    expect(runs).toMatchObject([
      { key: 'orphan@1', state: 'skipped', reason: 'no-definition', created: true },
      { key: 'orphan@2', state: 'waiting' },
    ])
    await s.b.store.definitions.registerFunction(TENANT, 'nowhere', 1)
    const { taken, runs: next } = await s.fire(() => ({ runs: [{ kind: 'promote', key: 'orphan@2' }] }))
    expect(taken).toMatchObject([{ running: [], waiting: ['orphan@2'] }])
    expect(next).toMatchObject([{ key: 'orphan@2', state: 'started', created: true }])
  })

  it('tells who runs and who waits, and of an end where somebody waits for it', async () => {
    const s = await site(open)
    await s.put('chain', -1_000, saved({ overlap: 'queue' }))
    const { runs } = await s.fire(() => ({
      runs: [s.run('start', 'chain@1'), s.run('wait', 'chain@3'), s.run('wait', 'chain@2')],
    }))
    const first = runs[0]!.instanceId!
    expect(await s.b.store.schedules.look()).toMatchObject({ due: false, waiting: true })
    await s.change('chain', (current) => {
      expect(current).toMatchObject({ running: [first], waiting: ['chain@2', 'chain@3'] })
      return undefined
    })
    await s.end(first)
    expect((await s.b.store.schedules.look()).due).toBe(true)
    const { taken, runs: next } = await s.fire(() => ({ runs: [{ kind: 'promote', key: 'chain@2' }] }))
    expect(taken).toMatchObject([{ id: 'chain', running: [], waiting: ['chain@2', 'chain@3'] }])
    expect(await s.b.store.instances.get(TENANT, next[0]!.instanceId!)).toMatchObject({ input: { n: 1 } })
    expect(await s.fire()).toMatchObject({ taken: [] })
    expect(
      (await s.b.store.schedules.runs(TENANT, 'chain', undefined, 10)).find((run) => run.key === 'chain@1'),
    ).toMatchObject({ status: 'completed', endedAt: expect.any(Number) })
  })

  it('tells those who come after of every end once', async () => {
    const s = await site(open)
    await s.put('parent')
    await s.put('child', HOUR, saved({ after: ['parent', 'other'] }))
    await s.put('stranger', HOUR, saved({ after: ['other'] }))
    const [run] = (await s.fire(() => ({ runs: [s.run('start', 'parent@1')] }))).runs
    await s.end(run!.instanceId!, 'faulted')
    const { taken } = await s.fire((each) => ({ dueAt: each.dueAt, wakeAt: each.wakeAt, round: '{"seen":1}' }))
    expect(taken).toMatchObject([
      { id: 'child', ends: [{ scheduleId: 'parent', instanceId: run!.instanceId!, status: 'faulted' }] },
    ])
    expect((await s.fire()).taken).toEqual([])
    expect((await s.b.store.schedules.get(TENANT, 'child'))!.round).toEqual({ seen: 1 })
  })

  it('cancels what a decision names, and drops what waited before it', async () => {
    const s = await site(open)
    await s.put('latest')
    const { runs } = await s.fire((_, now) => ({
      wakeAt: now - 1,
      runs: [s.run('start', 'latest@1'), s.run('wait', 'latest@2')],
    }))
    const first = runs[0]!.instanceId!
    await s.fire((taken) => ({ runs: [s.run('wait', 'latest@3')], cancels: taken.running, dropsWaiting: true }))
    await s.change('latest', (current) => {
      expect(current).toMatchObject({ running: [first], waiting: ['latest@3'] })
      return undefined
    })
    expect(await s.b.store.agenda.inbox([first])).toMatchObject([{ messages: [{ kind: 'cancel' }] }])
    const states = await s.b.store.schedules.runs(TENANT, 'latest', undefined, 10)
    expect(states.find((each) => each.key === 'latest@2')).toMatchObject({ state: 'skipped', reason: 'overlap' })
  })

  it('counts nothing as running where runs may overlap', async () => {
    const s = await site(open)
    await s.put('free', -1_000, saved({ overlap: 'allow' }))
    await s.fire((_, now) => ({ wakeAt: now - 1, runs: [s.run('start', 'free@1')] }))
    expect((await s.fire()).taken).toMatchObject([{ running: [] }])
  })

  it('writes nothing when a decision throws', async () => {
    const s = await site(open)
    await s.put('nightly')
    await expect(
      s.b.store.schedules.fire(s.node.id, 10, () => {
        throw new Error('undecided')
      }),
    ).rejects.toThrow('undecided')
    expect((await s.b.store.schedules.look()).due).toBe(true)
    expect((await s.fire()).taken).toHaveLength(1)
  })

  it('lets no buried node fire', async () => {
    const s = await site(open)
    await s.put('nightly')
    await s.b.store.membership.leave(s.node.id)
    await expect(s.fire(() => ({ runs: [s.run('start', 'nightly@1')] }))).rejects.toMatchObject({ code: 'FENCED' })
    expect((await s.b.store.schedules.look()).due).toBe(true)
    expect(await s.b.store.schedules.runs(TENANT, 'nightly', undefined, 10)).toEqual([])
  })

  it('changes one schedule by what it is at that moment', async () => {
    const s = await site(open)
    const { schedules } = s.b.store
    const raise = () =>
      s.change('counted', (current) => {
        const n = current === undefined ? 0 : (current.document as { n: number }).n
        return { kind: 'write', save: saved({ document: JSON.stringify({ n: n + 1 }) }), fire: write('counted') }
      })
    await Promise.all(Array.from({ length: 8 }, raise))
    expect(await schedules.get(TENANT, 'counted')).toMatchObject({ document: { n: 8 }, revision: 8 })
    expect(await schedules.get('other', 'counted')).toBeUndefined()
  })

  it('uses no revision again when a schedule is removed and made anew, and knows whose it was that was paused', async () => {
    const s = await site(open)
    const { schedules } = s.b.store
    const owners: (string | undefined)[] = []
    const make = (save: NewSchedule) =>
      s.change('again', (_, __, pausedFor) => {
        owners.push(pausedFor)
        return { kind: 'write', save, fire: write('again') }
      })
    await make(saved())
    await make(saved({ owner: 'definition:w', paused: true }))
    await s.change('again', () => ({ kind: 'remove' }))
    await make(saved())
    expect((await schedules.get(TENANT, 'again'))!.revision).toBe(3)
    await s.change('again', () => ({ kind: 'remove' }))
    await make(saved())
    expect((await schedules.get(TENANT, 'again'))!.revision).toBe(4)
    expect(owners).toEqual([undefined, undefined, 'definition:w', undefined])
  })

  it('starts runs of the version that their input was checked by, and hands out what that needs', async () => {
    const s = await site(open)
    const { definitions, instances } = s.b.store
    await definitions.create(TENANT, 'graph', '{}')
    await definitions.publish(TENANT, 'graph', 'h1', 1)
    await s.put('checked', -1_000, saved({ definitionId: 'graph' }))
    const { taken, runs } = await s.fire((_, now) => ({
      version: 1,
      wakeAt: now,
      runs: [s.run('start', 'checked@1'), s.run('wait', 'checked@2')],
    }))
    expect(taken).toMatchObject([{ graphVersion: 1, nextStarted: undefined }])
    await definitions.saveDraft(TENANT, 'graph', '{"n":2}', 1)
    await definitions.publish(TENANT, 'graph', 'h2', 2)
    const later = await s.fire(() => ({ version: 1, runs: [s.run('start', 'checked@3')] }))
    expect(later.taken).toMatchObject([{ graphVersion: 2, nextStarted: { input: { n: 1 } } }])
    for (const { instanceId } of [runs[0]!, later.runs[0]!])
      expect((await instances.get(TENANT, instanceId!))!.version).toBe(1)
    await s.put('plain')
    expect((await s.fire()).taken).toMatchObject([{ id: 'plain', graphVersion: undefined }])
  })

  it('puts away a run that waited, for its reason, and looks at the one behind it at once', async () => {
    const s = await site(open)
    await s.put('queue')
    await s.fire((_, now) => ({ wakeAt: now, runs: [s.run('wait', 'queue@1'), s.run('wait', 'queue@2')] }))
    const refused = await s.fire(() => ({ runs: [{ kind: 'refuse', key: 'queue@1', reason: 'input-invalid: /a' }] }))
    expect(refused.runs).toMatchObject([
      { key: 'queue@1', state: 'skipped', reason: 'input-invalid: /a', instanceId: undefined, created: true },
    ])
    const next = await s.fire(() => ({ runs: [{ kind: 'promote', key: 'queue@2' }] }))
    expect(next.taken).toMatchObject([{ waiting: ['queue@2'] }])
    expect(next.runs).toMatchObject([{ key: 'queue@2', state: 'started' }])
  })

  it('removes a schedule, keeps its runs, and starts none that waited', async () => {
    const s = await site(open)
    await s.put('gone')
    await s.fire(() => ({ runs: [s.run('start', 'gone@1'), s.run('wait', 'gone@2')] }))
    await s.change('gone', () => ({ kind: 'remove' }))
    expect(await s.b.store.schedules.get(TENANT, 'gone')).toBeUndefined()
    const runs = await s.b.store.schedules.runs(TENANT, 'gone', undefined, 10)
    expect(runs.map((run) => [run.key, run.state, run.reason]).sort()).toEqual([
      ['gone@1', 'started', undefined],
      ['gone@2', 'skipped', 'removed'],
    ])
    await s.end(runs.find((run) => run.key === 'gone@1')!.instanceId!)
    expect((await s.fire()).taken).toEqual([])
    expect(await s.b.store.schedules.look()).toEqual({ due: false, nextInMs: undefined, waiting: false, stale: false })
    await s.put('gone')
    const again = await s.fire(() => ({ runs: [s.run('start', 'gone@1')] }))
    expect(again.runs).toMatchObject([{ created: false }])
  })

  it('deletes skipped runs that are old enough, the oldest first and no more than asked', async () => {
    const s = await site(open)
    const { schedules } = s.b.store
    await s.put('old')
    await s.fire(() => ({ runs: [s.run('start', 'old@1'), s.run('wait', 'old@2'), s.run('wait', 'old@3')] }))
    await s.change('old', () => ({ kind: 'remove' }))
    await s.put('queue', -1_000, saved({ overlap: 'queue' }))
    await s.fire(() => ({ runs: [s.run('start', 'queue@1'), s.run('wait', 'queue@2')] }))
    const keys = async (id: string) => (await schedules.runs(TENANT, id, undefined, 10)).map((run) => run.key).sort()
    expect(await schedules.trimSkipped(HOUR, 10)).toBe(0)
    expect(await keys('old')).toEqual(['old@1', 'old@2', 'old@3'])
    expect(await schedules.trimSkipped(0, 1)).toBe(1)
    expect(await schedules.trimSkipped(0, 10)).toBe(1)
    expect([await keys('old'), await keys('queue')]).toEqual([['old@1'], ['queue@1', 'queue@2']])
  })

  it('lists by id, by owner, and runs from the latest on', async () => {
    const s = await site(open)
    const { schedules } = s.b.store
    for (const id of ['b', 'c', 'a']) await s.put(id, HOUR, saved(id === 'b' ? { owner: 'job', activity: 'x' } : {}))
    expect((await schedules.list(TENANT, undefined, 2)).map((row) => row.id)).toEqual(['a', 'b'])
    expect((await schedules.list(TENANT, 'b', 2)).map((row) => row.id)).toEqual(['c'])
    expect(await schedules.owned(TENANT, 'job')).toMatchObject([{ id: 'b', owner: 'job', activity: 'x' }])
    await s.put('a')
    await s.fire(() => ({ runs: ['a@1', 'a@2', 'a@3'].map((key) => s.run('start', key)) }))
    const page = await schedules.runs(TENANT, 'a', undefined, 2)
    expect(page.map((run) => run.key)).toEqual(['a@3', 'a@2'])
    expect((await schedules.runs(TENANT, 'a', page[1]!.id, 2)).map((run) => run.key)).toEqual(['a@1'])
  })

  it('names the definitions whose schedules are of another version', async () => {
    const { store } = await open()
    await store.definitions.create(TENANT, 'graph', '{}')
    await store.definitions.registerFunction(TENANT, 'code', 1)
    expect(await store.schedules.staleSources(10)).toEqual([])
    await store.definitions.publish(TENANT, 'graph', 'h', 1)
    const source = { tenant: TENANT, definitionId: 'graph', version: 1 }
    expect(await store.schedules.staleSources(10)).toEqual([source])
    expect((await store.schedules.look()).stale).toBe(true)
    await store.schedules.sourceApplied({ ...source, version: undefined })
    expect((await store.schedules.look()).stale).toBe(true)
    await store.schedules.sourceApplied(source)
    expect(await store.schedules.staleSources(10)).toEqual([])
    expect((await store.schedules.look()).stale).toBe(false)
  })
}
