import type { Json, JsonObject } from '@lockstep/base'
import { type Simulation, simulation } from '@lockstep/testing/simulation'
import type { CustomActivity, EffectActivity, TransactionalActivity } from '../../activity/activity-handler.ts'
import { Engine } from '../../engine.ts'
import type { EngineOptions } from '../../engine-options.ts'
import type { InstanceEnd } from '../../instance/instance-results.ts'
import { factFromRow } from '../../journal/fact.ts'

const description = {
  kind: 'action',
  title: 'Toy',
  description: 'For tests.',
  inputs: { type: 'object' },
  outcomes: 'any',
} as const

export const effect = (type: string, run: EffectActivity['run']): EffectActivity => ({
  ...description,
  type,
  runs: 'effect',
  run,
})

export const transactional = (type: string, run: TransactionalActivity['run']): TransactionalActivity => ({
  ...description,
  type,
  runs: 'transaction',
  run,
})

export const done = (output: Json = null) => ({ kind: 'completed', outcome: 'done', output }) as const

/** Writes one row that names its step. */
export const book = transactional('book', async (_inputs, { tx, step, instanceId }) => {
  await tx.query('insert into ledger', [instanceId, step])
  return done(step)
})

/** Real engines on a simulated store, in virtual time. */
export class SimulatedEngines {
  readonly sim: Simulation
  readonly #engines = new Map<string, Engine>()

  constructor(seed = 1) {
    this.sim = simulation({ seed })
  }

  async boot(name: string, activities: readonly CustomActivity[], more: Partial<EngineOptions> = {}): Promise<Engine> {
    const { store, clock, random, bus } = this.sim.node(name)
    const timing = { heartbeatMs: 200, ttlMs: 1_000 }
    const engine = await this.drive(Engine.open({ store, clock, random, bus, name, activities, ...timing, ...more }))
    this.#engines.set(name, engine)
    return engine
  }

  engine(name: string): Engine {
    return this.#engines.get(name)!
  }

  /** Runs time until the promise has settled. */
  async drive<T>(promise: Promise<T>, limitMs = 120_000): Promise<T> {
    let over = false
    const settled = (): void => {
      over = true
    }
    promise.then(settled, settled)
    if (!(await this.sim.runUntil(() => over, limitMs))) throw new Error(`not settled after ${limitMs} virtual ms`)
    return promise
  }

  async publish(engine: Engine, document: JsonObject & { readonly id: string }): Promise<void> {
    await this.drive(engine.definitions.create('default', document))
    await this.drive(engine.definitions.publish('default', document.id))
  }

  async start(engine: Engine, definitionId: string, input: Json = null): Promise<string> {
    return (await this.drive(engine.start({ definitionId, input }))).instanceId
  }

  /** Waits for the end by what the store says, whichever node reaches it. */
  async end(engine: Engine, instanceId: string, limitMs?: number): Promise<InstanceEnd> {
    return (await this.drive(engine.waitForEnd(instanceId), limitMs))!
  }

  facts(instanceId: string): string[] {
    return (this.sim.store.inspect().journal.get(instanceId) ?? []).map((row) => {
      const { step, outcome } = factFromRow({ ...row, data: JSON.parse(row.data) }) as {
        readonly step?: string
        readonly outcome?: string
      }
      return [row.kind, step, outcome].filter((each) => each !== undefined).join(' ')
    })
  }

  /** What the user's statements left behind, as committed. */
  rows(): (readonly unknown[])[] {
    return this.sim.store.inspect().userStatements.map(({ values }) => values)
  }
}

/** One engine that can run `activities`, and one published graph. */
export async function oneEngine(
  document: JsonObject & { readonly id: string },
  activities: readonly CustomActivity[],
  more: Partial<EngineOptions> = {},
): Promise<SimulatedEngines & { readonly only: Engine }> {
  const engines = new SimulatedEngines()
  const only = await engines.boot('only', activities, more)
  await engines.publish(only, document)
  return Object.assign(engines, { only })
}
