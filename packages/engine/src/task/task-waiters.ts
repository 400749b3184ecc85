/**
 * Workers that wait for a task. They are told at once of what opens on this node, and soon of the rest: one look a second for all of them,
 * and none while nobody waits. Being told proves nothing; whoever is told claims.
 */
import { type Clock, deferred, type Timer } from '@lockstep/base'
import type { TaskStore } from '../store/task-store.ts'

interface Wanted {
  readonly tenant: string
  readonly queue: string
  readonly names: readonly string[]
}

interface Kind {
  readonly tenant: string
  readonly queue: string
  readonly name: string
}

interface Waiter {
  readonly wanted: Wanted
  told: boolean
  wake: () => void
}

export interface WaitingClaim extends Disposable {
  /** Settles when there may be a task, when the time is over, or with the signal. */
  told(limitMs: number, signal?: AbortSignal): Promise<void>
}

const LOOK_MS = 1_000
/** Nodes that were told by one message do not all look at the same moment. */
const SOON_MS = 15
const LOOK_AT = 1_000

export class TaskWaiters {
  readonly #tasks: TaskStore
  readonly #clock: Clock
  readonly #waiters = new Set<Waiter>()
  #timer: Timer | undefined
  #soon = false
  #looking = false
  #stopped = false

  constructor(tasks: TaskStore, clock: Clock) {
    this.#tasks = tasks
    this.#clock = clock
  }

  add(wanted: Wanted): WaitingClaim {
    const waiter: Waiter = { wanted, told: this.#stopped, wake: () => {} }
    this.#waiters.add(waiter)
    this.#plan(LOOK_MS)
    return {
      told: (limitMs, signal) => this.#told(waiter, limitMs, signal),
      [Symbol.dispose]: () => {
        this.#waiters.delete(waiter)
        if (this.#waiters.size > 0) return
        this.#timer?.cancel()
        this.#timer = undefined
      },
    }
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  /** One task of this kind was opened: one of those who wait for such is told. Should it not come, the next look finds the task. */
  opened(kind: Kind): void {
    for (const waiter of this.#waiters) if (!waiter.told && fits(waiter.wanted, kind)) return tell(waiter)
  }

  /** There may be something: looks soon. */
  look(): void {
    if (this.#soon || this.#waiters.size === 0) return
    this.#soon = true
    this.#timer?.cancel()
    this.#timer = undefined
    this.#plan(SOON_MS)
  }

  /** Lets everybody go. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    for (const waiter of this.#waiters) tell(waiter)
  }

  async #told(waiter: Waiter, limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (waiter.told || signal?.aborted) return
    const { promise, resolve } = deferred<void>()
    waiter.wake = resolve
    const timer = this.#clock.schedule(limitMs, () => resolve(), { keepAlive: true })
    const abort = (): void => resolve()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      timer.cancel()
      signal?.removeEventListener('abort', abort)
    }
  }

  #plan(delayMs: number): void {
    if (this.#timer !== undefined || this.#stopped) return
    this.#timer = this.#clock.schedule(delayMs, () => void this.#look())
  }

  async #look(): Promise<void> {
    this.#timer = undefined
    this.#soon = false
    if (this.#looking || this.#waiters.size === 0 || this.#stopped) return
    this.#looking = true
    try {
      const { kinds, more } = await this.#tasks.look(LOOK_AT)
      if (more) for (const waiter of this.#waiters) tell(waiter)
      else for (const waiter of this.#waiters) if (kinds.some((kind) => fits(waiter.wanted, kind))) tell(waiter)
    } catch {
      // The next look is in a second, and whoever claims learns what is wrong.
    } finally {
      this.#looking = false
      if (this.#waiters.size > 0) this.#plan(LOOK_MS)
    }
  }
}

function tell(waiter: Waiter): void {
  waiter.told = true
  waiter.wake()
}

function fits({ tenant, queue, names }: Wanted, kind: Kind): boolean {
  return tenant === kind.tenant && queue === kind.queue && names.includes(kind.name)
}
