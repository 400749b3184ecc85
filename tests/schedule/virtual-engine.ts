import { type AnyWorkflow, Engine, type EngineOptions, type ScheduleRun } from '@lockstep/engine'
import { type Simulation, simulation } from '@lockstep/testing/simulation'

/** An engine in virtual time, driven while somebody waits for an answer. */
export interface VirtualEngine {
  readonly sim: Simulation
  readonly engine: Engine
  /** Lets time pass until `answer` is there. */
  wait<T>(answer: Promise<T>): Promise<T>
  /** Lets time pass up to an instant of the store's clock. */
  until(instant: string): Promise<void>
  /** Runs of a schedule, oldest first. */
  runs(id: string): Promise<readonly ScheduleRun[]>
  /** Nominal instants of the runs that were started, oldest first. */
  fired(id: string): Promise<readonly string[]>
}

export interface VirtualOptions extends Partial<EngineOptions> {
  readonly startAt: string
  readonly workflows?: readonly AnyWorkflow[]
}

/** Idle loops would be most of a month: beats and looks are rare here, timers are exact all the same. */
const HEARTBEAT_MS = 600_000

export async function openVirtualEngine({ startAt, ...options }: VirtualOptions): Promise<VirtualEngine> {
  const sim = simulation({ seed: 1, startAt: Date.parse(startAt) })
  const { store, clock, random, bus } = sim.node('only')
  const wait = async <T>(answer: Promise<T>): Promise<T> => {
    let isOver = false
    const settled = answer.finally(() => {
      isOver = true
    })
    settled.catch(() => undefined)
    while (!isOver) await sim.run(1)
    return settled
  }
  const engine = await wait(Engine.open({ store, clock, random, bus, heartbeatMs: HEARTBEAT_MS, ...options }))
  const runs = async (id: string): Promise<readonly ScheduleRun[]> =>
    [...(await wait(engine.schedules.runs(id)))].reverse()
  return {
    sim,
    engine,
    wait,
    until: (instant) => sim.run(Date.parse(instant) - sim.clock.now()),
    runs,
    fired: async (id) =>
      (await runs(id)).filter((run) => run.state === 'started').map((run) => new Date(run.nominalAt).toISOString()),
  }
}
