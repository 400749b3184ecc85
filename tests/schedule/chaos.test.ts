/** Schedules over three nodes in a simulated cluster whose store loses requests and answers and whose nodes die: every occurrence once. */
import { Engine, workflow } from '@lockstep/engine'
import { roughWeather, simulation } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'

const SECONDS = 60
const tick = workflow('tick', async () => 'done')
const slow = workflow('slow', async (ctx) => ctx.sleep(1_700))

describe.each(Array.from({ length: 12 }, (_, seed) => seed + 1))('seed %i', (seed) => {
  it('each occurrence has one run, no queued run overtakes another, and nothing is left to wait', async () => {
    const sim = simulation({ seed, faults: roughWeather })
    let born = 0
    const openings: Promise<Engine>[] = []
    const openNode = (): string => {
      const name = `n${++born}`
      const { store, clock, random, bus } = sim.node(name, { skewMs: (sim.random.next() - 0.5) * 7_200_000 })
      const opening = (async () => {
        for (;;) {
          try {
            return await Engine.open({ store, clock, random, bus, workflows: [tick, slow], heartbeatMs: 200 })
          } catch {
            await new Promise<void>((resolve) => clock.schedule(100, resolve))
          }
        }
      })()
      openings.push(opening)
      return name
    }
    const names = [openNode(), openNode(), openNode()]
    const { direct } = sim.store
    let first: Engine | undefined
    void openings[0]!.then((engine) => {
      first = engine
    })
    await sim.runUntil(() => first !== undefined)
    const endAt = sim.clock.now() + SECONDS * 1_000
    const document = (id: string, definitionId: string, overlap: 'allow' | 'queue') => ({
      id,
      definitionId,
      overlap,
      trigger: { interval: '1s' },
      graceMs: 60_000,
      endAt: Math.floor(endAt),
    })
    let created = 0
    const create = async (wanted: ReturnType<typeof document>): Promise<void> => {
      for (;;) {
        try {
          await first!.schedules.put(wanted)
          created += 1
          return
        } catch {
          await new Promise<void>((resolve) => sim.clock.schedule(20, resolve))
        }
      }
    }
    void create(document('free', 'tick', 'allow'))
    void create(document('line', 'slow', 'queue'))
    await sim.runUntil(() => created === 2)
    while (sim.clock.now() < endAt) {
      await sim.run(3_000)
      const index = Math.floor(sim.random.next() * names.length)
      if (sim.random.next() < 0.6) {
        sim.crash(names[index]!)
        names[index] = openNode()
      }
    }
    const runsOf = (id: string) => direct.schedules.runs('default', id, undefined, 1_000)
    const isOver = (): boolean =>
      [...sim.store.inspect().scheduleRuns.values()].every((run) => run.state === 'skipped' || !run.open)
    expect(await sim.runUntil(isOver, 300_000)).toBe(true)

    for (const id of ['free', 'line']) {
      const runs = [...(await runsOf(id))].sort((x, y) => x.nominalAt - y.nominalAt)
      expect(runs.every((run) => run.state === 'started' && run.status === 'completed')).toBe(true)
      const seconds = runs.map((run) => run.nominalAt / 1_000)
      expect(seconds).toEqual(seconds.map((_, index) => seconds[0]! + index))
      expect(seconds.length).toBeGreaterThan(SECONDS - 5)
    }
    const line = [...(await runsOf('line'))].sort((x, y) => x.nominalAt - y.nominalAt)
    for (const [index, run] of line.entries())
      if (index > 0) expect(run.firedAt!).toBeGreaterThanOrEqual(line[index - 1]!.endedAt!)
    expect(sim.check()).toEqual([])
  })
})
