/**
 * Readers who wait for what an instance says next. They are told at once of what is written on this node or announced by another, and soon
 * of the rest: one look for all of them twice a second, and none while nobody waits. Being told proves nothing; whoever is told reads.
 */
import { type Clock, deferred, type Timer } from '@lockstep/base'
import type { PartMark, PartStore } from '../store/part-store.ts'

interface Waiter {
  readonly tenant: string
  readonly instanceId: string
  readonly isNews: (mark: PartMark) => boolean
  told: boolean
  wake: () => void
}

export interface WaitingReader extends Disposable {
  /** Settles when there may be more, when the time is over, or with the signal. */
  told(limitMs: number, signal?: AbortSignal): Promise<void>
}

const LOOK_MS = 500
const MOST_AT_ONCE = 1_000

export class InstanceNews {
  readonly #store: PartStore
  readonly #clock: Clock
  readonly #waiters = new Map<string, Set<Waiter>>()
  #timer: Timer | undefined
  #stopped = false

  constructor(store: PartStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  /** To be added before the reading: what comes between the reading and the waiting is heard of. */
  add(tenant: string, instanceId: string, isNews: (mark: PartMark) => boolean): WaitingReader {
    const waiter: Waiter = { tenant, instanceId, isNews, told: this.#stopped, wake: () => {} }
    const waiters = this.#waiters.get(instanceId) ?? new Set()
    this.#waiters.set(instanceId, waiters.add(waiter))
    this.#plan()
    return {
      told: (limitMs, signal) => this.#told(waiter, limitMs, signal),
      [Symbol.dispose]: () => {
        waiters.delete(waiter)
        if (waiters.size === 0 && this.#waiters.get(instanceId) === waiters) this.#waiters.delete(instanceId)
      },
    }
  }

  /** Something was said of this instance. */
  tell(instanceId: string): void {
    for (const waiter of this.#waiters.get(instanceId) ?? []) tell(waiter)
  }

  /** Lets everybody go. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) tell(waiter)
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

  #plan(): void {
    if (this.#timer === undefined && !this.#stopped)
      this.#timer = this.#clock.schedule(LOOK_MS, () => void this.#look())
  }

  async #look(): Promise<void> {
    const names = [...this.#waiters.values()].flatMap((waiters) =>
      [...waiters].filter((each) => !each.told).slice(0, 1),
    )
    try {
      for (let from = 0; from < names.length; from += MOST_AT_ONCE) {
        const marks = await this.#store.marks(names.slice(from, from + MOST_AT_ONCE))
        for (const mark of marks) this.#compare(mark)
      }
    } catch {
      // The next look is in half a second, and whoever reads learns what is wrong.
    }
    this.#timer = undefined
    if (this.#waiters.size > 0) this.#plan()
  }

  #compare(mark: PartMark): void {
    for (const waiter of this.#waiters.get(mark.instanceId) ?? []) if (waiter.isNews(mark)) tell(waiter)
  }
}

function tell(waiter: Waiter): void {
  waiter.told = true
  waiter.wake()
}
