/**
 * What keeps the store in order, by one node at a time. The store knows when each chore is due and whose turn it is; the toolkit's lock
 * shows who is at it, and keeps a second one away when a turn was thought to be over. A busy lock is skipped, never waited for.
 */
import { type Clock, type Logger, type Random, type Timer, Trouble } from '@lockstep/base'
import type { MaintenanceStore } from '../store/maintenance-store.ts'
import type { Chore, ChoreReport } from './chore.ts'
import { type MaintenanceLocks, runAlone } from './run-alone.ts'

export interface MaintenanceOptions {
  readonly store: Pick<MaintenanceStore, 'takeTurn' | 'endTurn'>
  readonly locks: MaintenanceLocks | undefined
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly nodeId: () => string
  /** Whether this node has more to do than it can: chores wait then. */
  readonly isPressed: () => boolean
  /** How often a node asks whether something is due. @default 60_000 */
  readonly lookMs?: number
}

/** `not-due`: it is not its time, or another node has the turn. `busy`: its lock is held. */
export type RoundResult =
  | ({ readonly status: 'done' } & ChoreReport)
  | { readonly status: 'not-due' }
  | { readonly status: 'busy'; readonly holder: string }

const LOOK_MS = 60_000
/** After a crash another node goes on when this is over. */
const TURN_MS = 60_000
/** What failed, or was not finished, comes again sooner. */
const SOON_MS = 15_000

export class Maintenance {
  readonly #o: MaintenanceOptions
  readonly #chores = new Map<string, Chore>()
  readonly #stopping = new AbortController()
  #timer: Timer | undefined
  #round: Promise<unknown> = Promise.resolve()

  /** By chore. */
  readonly #troubles = new Map<string, Trouble>()

  constructor(options: MaintenanceOptions) {
    this.#o = options
  }

  get chores(): readonly Chore[] {
    return [...this.#chores.values()]
  }

  /** A second one of the same name takes the place of the first. */
  add(chore: Chore): void {
    this.#chores.set(chore.name, chore)
  }

  run(): void {
    const { clock, random, lookMs = LOOK_MS } = this.#o
    if (this.#stopping.signal.aborted) return
    // Many nodes do not ask at once.
    this.#timer = clock.schedule(lookMs * (0.5 + random.next()), () => {
      this.#round = this.#look().finally(() => this.run())
    })
  }

  /** One round of a chore, now. `early`: whether it is due or not. */
  async do(name: string, { early = true } = {}): Promise<RoundResult> {
    const chore = this.#chores.get(name)
    if (chore === undefined || this.#stopping.signal.aborted) return { status: 'not-due' }
    const { store, locks, logger } = this.#o
    const nodeId = this.#o.nodeId()
    if (!(await store.takeTurn(name, nodeId, TURN_MS, early))) return { status: 'not-due' }
    let nextInMs = Math.min(SOON_MS, chore.everyMs)
    try {
      const run = await runAlone(locks, name, this.#stopping.signal, (signal) => chore.run(signal))
      if (!run.ran) return { status: 'busy', holder: run.holder }
      if (!run.value.more) nextInMs = chore.everyMs
      logger.debug('chore done', { chore: name, ...run.value.figures })
      return { status: 'done', ...run.value }
    } finally {
      await store.endTurn(name, nodeId, nextInMs)
    }
  }

  /** Settles when the round that is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the node is stopping'))
    this.#timer?.cancel()
    await this.#round
  }

  async #look(): Promise<void> {
    for (const { name } of this.chores) {
      if (this.#stopping.signal.aborted || this.#o.isPressed()) return
      try {
        await this.do(name, { early: false })
        this.#troubles.get(name)?.over({ chore: name })
      } catch (error) {
        this.#troubleOf(name).failed(error, { chore: name })
      }
    }
  }

  #troubleOf(name: string): Trouble {
    const { logger } = this.#o
    const trouble =
      this.#troubles.get(name) ??
      new Trouble(logger, 'a chore was not done, it is tried again', 'a chore is done again')
    this.#troubles.set(name, trouble)
    return trouble
  }
}
