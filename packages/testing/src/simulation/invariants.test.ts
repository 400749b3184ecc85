import { errorCode, sleep } from '@lockstep/base'
import {
  type CheckpointItem,
  type Claim,
  type CommitBatch,
  type CommitResult,
  Fenced,
  type StartItem,
} from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { checkInvariants, type Guard, roughWeather, type SimulatedNode, type Simulation, simulation } from './index.ts'

const TENANT = 't'
const BEAT_MS = 750
const DEAD_AFTER_MS = 3_000

/** The least that deserves the name of an engine: four steps, a timer, a wait for the outside, the end. */
async function work(sim: Simulation, { store, clock, newId, random }: SimulatedNode): Promise<void> {
  const nodeId = newId()
  let flushNo = 0
  let isBuried = false

  const persist = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (Fenced.is(error)) isBuried = true
        if (errorCode(error) !== 'CONNECTION_LOST' && errorCode(error) !== 'COMMIT_UNKNOWN') throw error
        await sleep(clock, 5 + random.next() * 20)
      }
    }
  }
  const commit = (starts: readonly StartItem[], checkpoints: readonly CheckpointItem[]): Promise<CommitResult> => {
    const batch: CommitBatch = { nodeId, flushNo: ++flushNo, starts, checkpoints }
    return persist(() => store.commits.commit(batch))
  }
  const beatForEver = async (): Promise<void> => {
    const seen = new Map<string, { beat: number; since: number }>()
    let last = clock.monotonic()
    while (!isBuried) {
      const { alive, others } = await persist(() => store.membership.beat(nodeId))
      if (!alive) isBuried = true
      // A gap in the own reading restarts the count: whoever slept has observed nothing.
      if (clock.monotonic() - last > 2.5 * BEAT_MS) seen.clear()
      last = clock.monotonic()
      for (const { id, beat } of others) {
        const known = seen.get(id)
        if (known?.beat !== beat) seen.set(id, { beat, since: last })
        else if (last - known.since > DEAD_AFTER_MS) await persist(() => store.membership.bury({ id, beat }))
      }
      await sleep(clock, BEAT_MS)
    }
  }
  const startSome = async (): Promise<void> => {
    for (let turn = 0; turn < 8 && !isBuried; turn += 1) {
      const instanceId = newId()
      const verdict = await commit(
        [startItem(instanceId, turn % 3 === 0 ? `key ${turn}` : undefined, turn % 2 === 0)],
        [],
      )
      if (verdict.starts[0]!.kind === 'started') sim.observe({ kind: 'started', instanceId })
      if (verdict.starts[0]!.kind === 'started' && turn % 2 === 0) {
        advance({ tenant: TENANT, instanceId, claimNo: 1, stim: 0, crashes: 1, dueInMs: 0 }, 1, 0).catch(() => {})
      }
      await sleep(clock, 400)
    }
  }
  const advance = async (claim: Claim, from: number, stimulus: number): Promise<void> => {
    let [seq, stim] = [from, stimulus]
    for (;;) {
      const item = nextCheckpoint(claim, seq + 1, stim, newId)
      const inbox = seq === 6 ? (await persist(() => store.agenda.inbox([claim.instanceId])))[0] : undefined
      const consumes = inbox?.messages.map((message) => message.id) ?? []
      if (inbox !== undefined) stim = inbox.stim
      const { checkpoints } = await commit([], [{ ...item, stim, consumes }])
      if (checkpoints[0]!.kind === 'lost') return
      if (checkpoints[0]!.kind === 'stimulated')
        stim = (await persist(() => store.agenda.inbox([claim.instanceId])))[0]?.stim ?? stim
      else if (item.then.kind !== 'hold') return
      else seq += 1
      await sleep(clock, random.next() * 30)
    }
  }
  const claimForEver = async (): Promise<void> => {
    while (!isBuried) {
      const request = { nodeId, queues: ['q'], limit: 5, aheadMs: 0, floorMs: undefined }
      const claims = await store.agenda.claim(request).catch(() => persist(() => store.agenda.claims(nodeId)))
      for (const claim of claims) {
        const [loaded] = await persist(() => store.agenda.load([claim.instanceId]))
        void advance(claim, loaded!.facts.length, claim.stim).catch(() => {})
      }
      await sleep(clock, 50)
    }
  }
  await persist(() => store.membership.join({ id: nodeId, name: 'n', version: '1' }))
  await Promise.allSettled([beatForEver(), startSome(), claimForEver()])
}

function nextCheckpoint(claim: Claim, seq: number, stim: number, newId: () => string): CheckpointItem {
  const base: CheckpointItem = {
    ...{ tenant: TENANT, instanceId: claim.instanceId, claimNo: claim.claimNo, seq, stim, then: { kind: 'hold' } },
    ...{
      facts: [{ kind: 'completed', data: JSON.stringify({ step: `s${seq}` }) }],
      opens: [],
      closes: [],
      consumes: [],
      publishes: [],
    },
    ...{ incidents: [], snapshot: undefined, survived: false, parent: undefined },
  }
  if (seq === 4) return { ...base, then: { kind: 'suspend', dueAt: undefined, dueInMs: 100, status: 'suspended' } }
  if (seq === 6) {
    const open = {
      id: newId(),
      step: 's6',
      kind: 'signal',
      name: 'go',
      correlationId: undefined,
      hash: 'go',
      tokenHash: undefined,
      expiresInMs: undefined,
    }
    return {
      ...base,
      opens: [open],
      then: { kind: 'suspend', dueAt: undefined, dueInMs: undefined, status: 'suspended' },
    }
  }
  return seq >= 7
    ? { ...base, facts: [{ kind: 'ended', data: '{}' }], then: { kind: 'end', status: 'completed' } }
    : base
}

function startItem(instanceId: string, dedupeKey: string | undefined, claimed: boolean): StartItem {
  return {
    ...{
      tenant: TENANT,
      instanceId,
      definitionId: 'wf',
      version: 1,
      correlationId: undefined,
      dedupeKey,
      parentId: undefined,
    },
    ...{ parentStep: undefined, queue: 'q', claimed, dueInMs: 0, started: { kind: 'started', data: '{}' } },
  }
}

/** Resumes whatever waits, twice as often as it should. */
async function poke(sim: Simulation, { store, clock }: SimulatedNode): Promise<void> {
  for (;;) {
    for (const { id, instanceId } of [...sim.store.inspect().bookmarks.values()]) {
      for (let twice = 0; twice < 2; twice += 1) {
        const request = { tenant: TENANT, instanceId, bookmark: id, payload: '{}' }
        const verdict = await store.stimuli.resume(request).catch(() => undefined)
        if (verdict?.kind === 'resumed') sim.observe({ kind: 'resumed', instanceId, bookmarkId: id })
      }
    }
    await sleep(clock, 200)
  }
}

/** Three nodes and a minute of trouble, then quiet. */
async function scenario(seed: number, ...without: readonly Guard[]): Promise<Simulation> {
  const sim = simulation({ seed, faults: roughWeather })
  sim.store.without(...without)
  const names = ['a', 'b', 'c']
  for (const name of names) void work(sim, sim.node(name, { skewMs: (sim.random.next() - 0.5) * 1e7 }))
  void poke(sim, sim.node('poker'))
  for (let turn = 0; turn < 12; turn += 1) {
    const name = names[Math.floor(sim.random.next() * 3)]!
    if (sim.random.next() < 0.4) {
      sim.crash(name)
      await sim.run(500 + sim.random.next() * 4_000)
      void work(sim, sim.node(name))
    } else {
      sim.pause(name)
      await sim.run(500 + sim.random.next() * 6_000)
      sim.resume(name)
    }
    expect(without.length > 0 ? [] : sim.check()).toEqual([])
    await sim.run(sim.random.next() * 2_000)
  }
  sim.store.useFaults({ failed: 0, lostAnswer: 0, lostRequest: 0, slow: 0 })
  await sim.run(20_000)
  return sim
}

describe('invariants', () => {
  it('hold on a toy engine through crashes, pauses and lost answers, and everything ends', async () => {
    let instances = 0
    for (let seed = 1; seed <= 10; seed += 1) {
      const sim = await scenario(seed)
      expect(sim.check(), `seed ${seed}`).toEqual([])
      const open = [...sim.store.inspect().instances.values()].filter((row) => row.finishedAt === undefined)
      expect(open, `seed ${seed}`).toEqual([])
      instances += sim.store.inspect().instances.size
    }
    expect(instances).toBeGreaterThan(200)
  })

  it('are broken by a store that does not ask who writes', async () => {
    const rules = new Set<string>()
    for (let seed = 1; seed <= 4; seed += 1)
      for (const { rule } of (await scenario(seed, 'fence', 'claim', 'chain')).check()) rules.add(rule)
    expect([...rules]).toEqual(expect.arrayContaining(['a journal has no gaps']))
    expect([...rules].some((rule) => rule === 'claims rise along a journal' || rule === 'one writer per claim')).toBe(
      true,
    )
  })

  it('are broken by a store that forgets dedupe keys or consumed bookmarks', async () => {
    const broken = async (guard: Guard): Promise<string[]> => {
      const rules: string[] = []
      for (let seed = 1; seed <= 2; seed += 1)
        for (const { rule } of (await scenario(seed, guard)).check()) rules.push(rule)
      return rules
    }
    expect(await broken('dedupe')).toContain('one instance per dedupe key')
    expect(await broken('bookmark')).toContain('a bookmark is consumed at most once')
  })

  it('are broken by an owner that hears a message twice', () => {
    const tables = simulation({ seed: 1 }).store.inspect()
    const applied = { kind: 'applied', messageId: 7, instanceId: 'a' } as const
    expect(checkInvariants({ ...tables, history: [applied, { ...applied, messageId: 8 }] })).toEqual([])
    expect(checkInvariants({ ...tables, history: [applied, applied] })).toMatchObject([
      { rule: 'a message is heard once', instanceId: 'a' },
    ])
  })

  it('say nothing about an empty store', () => {
    expect(checkInvariants(simulation({ seed: 1 }).store.inspect())).toEqual([])
  })
})
