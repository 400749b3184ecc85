import { sleep } from '@lockstep/base'
import { Engine, type Engine as EngineType, workflow } from '@lockstep/engine'
import {
  calmWeather,
  type Guard,
  roughWeather,
  type Simulation,
  simulation,
  type Violation,
} from '@lockstep/testing/simulation'

/** What one seed came to. */
export interface SeedReport {
  readonly seed: number
  readonly violations: readonly Violation[]
  /** Instances that had not ended when everything had been calm for long enough. */
  readonly stuck: readonly string[]
  readonly instanceCount: number
  /** Innocents among the crashes: it takes four owners dying in a row. */
  readonly quarantinedCount: number
  readonly crashCount: number
  readonly pauseCount: number
  readonly refusedCount: number
}

export interface CampaignOptions {
  readonly seed: number
  /** Guards of the store that are switched off, to show that the checks can fail. */
  readonly without?: readonly Guard[]
  readonly steps?: number
  /** For looking at a failing seed: called for each instance that never ended. */
  readonly onStuck?: (sim: Simulation, instanceId: string) => void
}

const NODES = ['a', 'b', 'c'] as const
const LIVENESS_MS = 180_000
/** What a busy instance waits for, all at once. */
const HEARD = ['alpha', 'beta', 'gamma', 'delta'] as const

const graph = {
  id: 'graph',
  name: 'Graph',
  variables: { sum: { type: 'number', default: 0 } },
  activities: [
    {
      id: 'each',
      type: 'for-each',
      inputs: { items: [1, 2, 3], concurrency: 2 },
      body: {
        activities: [
          { id: 'pause', type: 'delay', inputs: { duration: '300ms' } },
          { id: 'add', type: 'set-variable', inputs: { name: 'sum', value: { $expr: 'vars.sum + item' } } },
        ],
        connections: [{ from: 'pause', to: 'add' }],
      },
    },
    {
      id: 'both',
      type: 'parallel',
      branches: [
        { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go', timeout: '4s' } }] },
        { activities: [{ id: 'nap', type: 'delay', inputs: { duration: '6s' } }] },
      ],
    },
    {
      id: 'guard',
      type: 'try',
      body: { activities: [{ id: 'boom', type: 'fault', inputs: { message: 'boom' } }] },
      catch: {
        activities: [{ id: 'mend', type: 'set-output', inputs: { name: 'caught', value: { $expr: 'error.message' } } }],
      },
    },
    { id: 'out', type: 'set-output', inputs: { name: 'sum', value: { $expr: 'vars.sum' } } },
  ],
  connections: [
    { from: 'each', to: 'both' },
    { from: 'both', to: 'guard' },
    { from: 'guard', to: 'out' },
  ],
}

/** Several real engines on one simulated store: a phase in which everything goes wrong, then one in which all must come to an end. */
export async function runSeed({ seed, without = [], steps = 120, onStuck }: CampaignOptions): Promise<SeedReport> {
  const sim = simulation({ seed, faults: calmWeather })
  for (const guard of without) sim.store.without(guard)
  const crew = new Crew(sim)
  await crew.begin()
  sim.store.useFaults(roughWeather)
  sim.bus.useFaults({ drop: 0.3, duplicate: 0.2, reorder: 0.3 })
  for (let step = 0; step < steps; step += 1) {
    crew.act()
    await sim.run(sim.random.next() * 400)
  }
  await crew.calmDown()
  if (onStuck !== undefined) for (const each of crew.unfinished()) onStuck(sim, each.split(' ')[0] ?? '')
  const quarantined = new Set(
    [...sim.store.inspect().instances.values()].filter((each) => each.status === 'quarantined').map((each) => each.id),
  )
  return {
    seed,
    // One that was put aside rests with what it has, messages included, until a person looks at it.
    violations: sim.check().filter((each) => each.instanceId === undefined || !quarantined.has(each.instanceId)),
    stuck: crew.unfinished(),
    instanceCount: sim.store.inspect().instances.size,
    quarantinedCount: quarantined.size,
    crashCount: crew.crashCount,
    pauseCount: crew.pauseCount,
    refusedCount: crew.refusedCount,
  }
}

class Crew {
  readonly #sim: Simulation
  readonly #engines = new Map<string, EngineType>()
  readonly #paused = new Set<string>()
  #started = 0
  crashCount = 0
  pauseCount = 0
  refusedCount = 0

  constructor(sim: Simulation) {
    this.#sim = sim
  }

  async begin(): Promise<void> {
    for (const name of NODES) this.#boot(name)
    await this.#sim.runUntil(() => this.#engines.size === NODES.length, 60_000)
    await this.#drive(async () => {
      const engine = this.#engines.get('a')!
      await engine.definitions.create('default', graph)
      await engine.definitions.publish('default', 'graph')
    })
  }

  /** One random thing. */
  act(): void {
    const { random } = this.#sim
    const draw = random.next()
    const name = NODES[Math.floor(random.next() * NODES.length)]!
    if (draw < 0.45) this.#start(name)
    else if (draw < 0.56) this.#resume(name)
    else if (draw < 0.6) this.#crowd()
    else if (draw < 0.68) this.#publish(name)
    else if (draw < 0.72) this.#cancel(name)
    else if (draw < 0.8) this.#crash(name)
    else if (draw < 0.88) this.#pause(name)
    else if (draw < 0.96) this.#wake(name)
    else this.#sim.skew(name, (random.next() - 0.5) * 7_200_000)
  }

  async calmDown(): Promise<void> {
    const { store, bus } = this.#sim
    store.useFaults(calmWeather)
    bus.useFaults({ drop: 0, duplicate: 0, reorder: 0 })
    for (const name of [...this.#paused]) this.#wake(name)
    const deadline = this.#sim.clock.monotonic() + LIVENESS_MS
    while (this.unfinished().length > 0 && this.#sim.clock.monotonic() < deadline) {
      this.#decideUnclear()
      await this.#sim.run(1_000)
    }
  }

  unfinished(): string[] {
    return [...this.#sim.store.inspect().instances.values()]
      .filter((each) => each.finishedAt === undefined && each.status !== 'quarantined')
      .map((each) => `${each.id} ${each.definitionId} ${each.status}`)
  }

  #boot(name: string): void {
    const { sim } = { sim: this.#sim }
    const env = sim.node(name, { skewMs: (sim.random.next() - 0.5) * 3_600_000 })
    const observe = (instanceId: string, step: string, mode: 'atMostOnce' | 'atLeastOnce'): void =>
      sim.observe({ kind: 'effect', instanceId, step, mode })
    const child = workflow('child', async (ctx, input: { n: number }) =>
      ctx.step('double', async () => {
        observe(ctx.instanceId, 'double', 'atLeastOnce')
        return input.n * 2
      }),
    )
    const workflows = [
      child,
      workflow('steps', async (ctx, input: { n: number }) => {
        const first = await ctx.step('first', async () => {
          observe(ctx.instanceId, 'first', 'atLeastOnce')
          return input.n + 1
        })
        const flaky = await ctx.step(
          'flaky',
          async ({ attempt }) => {
            if (attempt < 3) throw new Error('not yet')
            return first * 2
          },
          { retry: { attempts: 5, initial: '200ms' } },
        )
        const both = await ctx.all([ctx.step('left', async () => flaky + 1), ctx.step('right', async () => flaky - 1)])
        return both[0] + both[1]
      }),
      workflow('sleeper', async (ctx, input: { ms: number }) => {
        await ctx.sleep(input.ms)
        await ctx.sleep(input.ms * 3)
        return ctx.now()
      }),
      workflow('waiter', async (ctx) => {
        const got = await ctx.waitFor('go', { timeout: '5s' })
        await ctx.sleep('1s')
        return got ?? 'nobody came'
      }),
      workflow('twice', async (ctx) => [
        await ctx.waitFor('one', { timeout: '20s' }),
        await ctx.waitFor('two', { timeout: '20s' }),
      ]),
      // In hand all the time: whatever comes is heard beside its work, and written while more comes.
      workflow('busy', async (ctx) =>
        ctx.all([
          ctx.step('work', () => sleep(env.clock, 2_500).then(() => 'done')),
          ...HEARD.map((each) => ctx.waitFor(each, { timeout: '6s' })),
        ]),
      ),
      workflow('parent', async (ctx, input: { n: number }) => (await ctx.run(child, input)) + 1),
      workflow('once', async (ctx) =>
        ctx.step(
          'pay',
          async () => {
            observe(ctx.instanceId, 'pay', 'atMostOnce')
            return 'paid'
          },
          { effect: 'atMostOnce' },
        ),
      ),
    ]
    void Engine.open({
      store: env.store,
      clock: env.clock,
      random: env.random,
      bus: env.bus,
      workflows,
      name,
      heartbeatMs: 200,
      ttlMs: 1_000,
      concurrency: 20,
      warmLimit: 10,
      // What was acknowledged is looked for at the end; sweeping has tests of its own.
      retention: { sweep: false },
      maintenance: false,
    }).then(
      (engine) => this.#engines.set(name, engine),
      () => {
        // Could not even join: the process ends, and is started again.
        sim.crash(name)
        this.#boot(name)
      },
    )
  }

  #start(name: string): void {
    const { random } = this.#sim
    const n = this.#started++
    const [definitionId, input] = (
      [
        ['steps', { n }],
        ['sleeper', { ms: Math.floor(random.next() * 4_000) }],
        ['waiter', null],
        ['parent', { n }],
        ['once', null],
        ['twice', null],
        ['graph', null],
        ['busy', null],
      ] as const
    )[Math.floor(random.next() * 8)]!
    const dedupeKey = random.next() < 0.3 ? `key-${Math.floor(random.next() * 10)}` : undefined
    this.#ask(name, (engine) =>
      engine
        .start({ definitionId, input, ...(dedupeKey === undefined ? {} : { dedupeKey }) })
        .then(({ instanceId }) => this.#sim.observe({ kind: 'started', instanceId })),
    )
  }

  #resume(name: string): void {
    const open = [...this.#sim.store.inspect().bookmarks.values()]
    const bookmark = open[Math.floor(this.#sim.random.next() * open.length)]
    if (bookmark !== undefined) this.#resumeOne(name, bookmark)
  }

  /** Everybody at once, wherever they ask: all that a busy instance waits for. */
  #crowd(): void {
    const { random, store } = this.#sim
    const open = [...store.inspect().bookmarks.values()]
    const busy = open.filter(({ name }) => HEARD.some((each) => each === name))
    const chosen = busy[Math.floor(random.next() * busy.length)]?.instanceId
    for (const bookmark of busy)
      if (bookmark.instanceId === chosen) this.#resumeOne(NODES[Math.floor(random.next() * NODES.length)]!, bookmark)
  }

  #resumeOne(name: string, { instanceId, id }: { readonly instanceId: string; readonly id: string }): void {
    this.#ask(name, async (engine) => {
      const outcome = await engine.resume({ instanceId, bookmark: id, payload: { by: name } })
      if (outcome === 'resumed') this.#sim.observe({ kind: 'resumed', instanceId, bookmarkId: id })
    })
  }

  #publish(name: string): void {
    this.#ask(name, async (engine) => {
      const { id } = await engine.publish({ name: 'go', payload: { by: name }, ttlMs: 1_000 })
      this.#sim.observe({ kind: 'published', eventId: id })
    })
  }

  #cancel(name: string): void {
    const all = [...this.#sim.store.inspect().instances.keys()]
    const instanceId = all[Math.floor(this.#sim.random.next() * all.length)]
    if (instanceId !== undefined) this.#ask(name, (engine) => engine.cancel(instanceId))
  }

  /** At-most-once steps whose outcome nobody knows wait for a person; here is one. */
  #decideUnclear(): void {
    for (const bookmark of this.#sim.store.inspect().bookmarks.values()) {
      if (bookmark.kind === 'signal')
        this.#ask('a', (engine) =>
          engine.resume({ instanceId: bookmark.instanceId, bookmark: bookmark.id, payload: 'looked' }),
        )
    }
  }

  #crash(name: string): void {
    if (!this.#engines.has(name) || this.#paused.has(name)) return
    this.#sim.crash(name)
    this.#engines.delete(name)
    this.crashCount += 1
    this.#boot(name)
  }

  #pause(name: string): void {
    if (!this.#engines.has(name) || this.#paused.has(name)) return
    this.#sim.pause(name)
    this.#paused.add(name)
    this.pauseCount += 1
  }

  #wake(name: string): void {
    if (!this.#paused.delete(name)) return
    this.#sim.resume(name)
  }

  #ask(name: string, question: (engine: EngineType) => Promise<unknown>): void {
    const engine = this.#engines.get(name)
    if (engine === undefined) return
    question(engine).catch(() => {
      this.refusedCount += 1 // refused or unanswered: the caller knows that it does not know
    })
  }

  /** Runs time until `work` is done. */
  async #drive(work: () => Promise<void>): Promise<void> {
    let done = false
    let failure: unknown
    void work().then(
      () => {
        done = true
      },
      (error: unknown) => {
        done = true
        failure = error
      },
    )
    await this.#sim.runUntil(() => done, 60_000)
    if (failure !== undefined) throw failure
  }
}
