import { Fenced, type StartItem } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { simulation } from './index.ts'

const startItem = (instanceId: string, extra: Partial<StartItem> = {}): StartItem => ({
  tenant: 't',
  instanceId,
  definitionId: 'wf',
  version: 1,
  correlationId: undefined,
  dedupeKey: undefined,
  parentId: undefined,
  parentStep: undefined,
  queue: 'q',
  claimed: true,
  dueInMs: 0,
  started: { kind: 'started', data: '{}' },
  ...extra,
})

const ok = { failed: 0, lostAnswer: 0, lostRequest: 0, late: 0, slow: 0 }

describe('simulation', () => {
  it('answers a call after its latency, in virtual time', async () => {
    const sim = simulation({ seed: 1 })
    const { store } = sim.node('a')
    let joined = false
    void store.membership.join({ id: 'n1', name: 'a', version: '1' }).then(() => (joined = true))
    await sim.clock.advance(0)
    expect(joined).toBe(false)
    expect(await sim.runUntil(() => joined)).toBe(true)
    expect(sim.store.inspect().nodes.has('n1')).toBe(true)
  })

  it('repeats a run exactly for the same seed, and not for another', async () => {
    const trace = async (seed: number): Promise<string> => {
      const sim = simulation({ seed })
      const log: string[] = []
      for (const name of ['a', 'b', 'c']) {
        const node = sim.node(name)
        for (let turn = 0; turn < 5; turn += 1) {
          void node.store.membership
            .join({ id: node.newId(), name, version: '1' })
            .then(() => log.push(`${name}${turn}@${node.clock.monotonic()}`))
        }
      }
      await sim.run(1_000)
      return log.join()
    }
    expect(await trace(7)).toBe(await trace(7))
    expect(await trace(7)).not.toBe(await trace(8))
  })

  it('applies a commit whose answer is lost, does not apply one whose request is lost, and cannot be told apart', async () => {
    for (const fault of ['lostAnswer', 'lostRequest'] as const) {
      const sim = simulation({ seed: 3 })
      const { store } = sim.node('a')
      await sim.store.direct.membership.join({ id: 'n1', name: 'a', version: '1' })
      sim.store.useFaults({ ...ok, [fault]: 1 })
      const caught = store.commits
        .commit({ nodeId: 'n1', flushNo: 1, starts: [startItem('i1')], checkpoints: [] })
        .catch((error: unknown) => error)
      await sim.run(100)
      expect(await caught).toMatchObject({ code: 'COMMIT_UNKNOWN' })
      expect(sim.store.inspect().instances.has('i1')).toBe(fault === 'lostAnswer')
    }
  })

  it('tells the caller first and applies afterwards when a request is late', async () => {
    const sim = simulation({ seed: 3 })
    const { store } = sim.node('a')
    sim.store.useFaults({ ...ok, late: 1 })
    let there: boolean | undefined
    const caught = store.membership.join({ id: 'n1', name: 'a', version: '1' }).catch((error: unknown) => {
      there = sim.store.inspect().nodes.has('n1')
      return error
    })
    await sim.run(100)
    expect(await caught).toMatchObject({ code: 'COMMIT_UNKNOWN' })
    expect(there).toBe(false)
    expect(sim.store.inspect().nodes.has('n1')).toBe(true)
  })

  it('leaves calls of a crashed node without an answer; what was under way happens in some runs only', async () => {
    let happened = 0
    for (let seed = 0; seed < 40; seed += 1) {
      const sim = simulation({ seed })
      const { store } = sim.node('a')
      let answered = false
      const answer = (): void => {
        answered = true
      }
      void store.membership.join({ id: 'n1', name: 'a', version: '1' }).then(answer, answer)
      sim.crash('a')
      await sim.run(10_000)
      expect(answered).toBe(false)
      if (sim.store.inspect().nodes.has('n1')) happened += 1
    }
    expect(happened).toBeGreaterThan(5)
    expect(happened).toBeLessThan(35)
  })

  it('keeps answers from a paused node until it goes on, while the database has long moved', async () => {
    const sim = simulation({ seed: 5 })
    const { store } = sim.node('a')
    let answered = false
    void store.membership.join({ id: 'n1', name: 'a', version: '1' }).then(() => (answered = true))
    sim.pause('a')
    await sim.run(60_000)
    expect(sim.store.inspect().nodes.has('n1')).toBe(true)
    expect(answered).toBe(false)
    sim.resume('a')
    await sim.run(1)
    expect(answered).toBe(true)
  })

  it('fences a paused node that was buried meanwhile', async () => {
    const sim = simulation({ seed: 6 })
    const { store } = sim.node('a')
    const { direct } = sim.store
    await direct.membership.join({ id: 'n1', name: 'a', version: '1' })
    sim.pause('a')
    expect(await direct.membership.bury({ id: 'n1', beat: 0 })).toBe(true)
    sim.resume('a')
    const caught = store.commits
      .commit({ nodeId: 'n1', flushNo: 1, starts: [startItem('i1')], checkpoints: [] })
      .catch((error: unknown) => error)
    await sim.run(100)
    expect(Fenced.is(await caught)).toBe(true)
  })

  it('drops, doubles and overtakes wake-ups, and hands none to a paused node', async () => {
    const received = async (faults: { drop?: number; duplicate?: number; reorder?: number }): Promise<string[]> => {
      const sim = simulation({ seed: 9 })
      sim.bus.useFaults(faults)
      const [from, to, paused] = [sim.node('a'), sim.node('b'), sim.node('c')]
      const got: string[] = []
      to.bus.subscribe((topic) => got.push(topic))
      paused.bus.subscribe((topic) => got.push(`paused ${topic}`))
      sim.pause('c')
      for (let turn = 0; turn < 20; turn += 1) {
        from.bus.publish(`t${String(turn).padStart(2, '0')}`)
        await sim.run(5)
      }
      await sim.run(1_000)
      return got
    }
    const all = Array.from({ length: 20 }, (_, turn) => `t${String(turn).padStart(2, '0')}`)
    expect(await received({})).toEqual(all)
    expect(await received({ drop: 1 })).toEqual([])
    expect((await received({ duplicate: 1 })).length).toBe(40)
    const overtaken = await received({ reorder: 0.3 })
    expect(overtaken).not.toEqual(all)
    expect([...overtaken].sort()).toEqual(all)
  })
})
