/**
 * Waits for ends: told at once of those that happen on this node, and looking for the others. All who wait are looked for together: ten
 * thousand of them are ten questions a second, not ten thousand.
 */
import { type Clock, groupBy, isRetryable, type Json, PassingMap, type Timer } from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import { InstanceNotFound } from '../definition/errors.ts'
import type { Failure } from '../journal/fact.ts'
import type { InstanceReader } from '../store/instance-reader.ts'

export interface InstanceEnd {
  readonly status: string
  readonly output: Json
  readonly error: Failure | undefined
}

const ENDED = new Set(['completed', 'faulted', 'cancelled', 'terminated'])
const FIRST_LOOK_MS = 50
const LONGEST_LOOK_MS = 1_000
/** Looks that fall into one span are one. */
const GATHER_MS = 10
const MOST_AT_ONCE = 1_000

export const isEnded = (status: string): boolean => ENDED.has(status)

interface Waiter {
  readonly tenant: string
  readonly instanceId: string
  readonly deadline: number
  lookAt: number
  pauseMs: number
  /** `undefined`: its time was over. */
  settle(end: InstanceEnd | undefined, last?: () => InstanceState | undefined): void
  fail(error: unknown): void
}

export class InstanceResults {
  readonly #instances: InstanceReader
  readonly #clock: Clock
  readonly #waiting = new PassingMap<string, readonly Waiter[]>()
  #timer: { readonly at: number; readonly timer: Timer } | undefined

  constructor(instances: InstanceReader, clock: Clock) {
    this.#instances = instances
    this.#clock = clock
  }

  /** Called for every instance that ends on this node. */
  ended(instanceId: string, end: InstanceEnd, last?: () => InstanceState | undefined): void {
    const waiters = this.#waiting.get(instanceId)
    if (waiters === undefined) return
    this.#waiting.delete(instanceId)
    for (const waiter of waiters) waiter.settle(end, last)
    this.#plan()
  }

  /** `undefined`: it had not ended when the time was over. `here`: it began on this node, so the first look can wait. */
  wait(tenant: string, instanceId: string, limitMs: number, here: boolean): Promise<InstanceEnd | undefined> {
    return new Promise((settle, fail) => this.#add(tenant, instanceId, limitMs, here, settle, fail))
  }

  /** The same; answers what is known of it without asking the store. */
  waitLast(tenant: string, instanceId: string, limitMs: number, here: boolean): Promise<InstanceState | undefined> {
    return new Promise((resolve, fail) => {
      this.#add(tenant, instanceId, limitMs, here, (_end, last) => resolve(last?.()), fail)
    })
  }

  #add(
    tenant: string,
    instanceId: string,
    limitMs: number,
    here: boolean,
    settle: Waiter['settle'],
    fail: Waiter['fail'],
  ): void {
    const now = this.#clock.monotonic()
    const pauseMs = here ? LONGEST_LOOK_MS : 0
    const deadline = now + limitMs
    const lookAt = now + Math.min(pauseMs, limitMs)
    const waiter: Waiter = { tenant, instanceId, deadline, lookAt, pauseMs, settle, fail }
    const waiters = this.#waiting.get(instanceId)
    this.#waiting.set(instanceId, waiters === undefined ? [waiter] : [...waiters, waiter])
    this.#lookBy(waiter.lookAt)
  }

  #remove(waiter: Waiter): void {
    const others = this.#waiting.get(waiter.instanceId)?.filter((each) => each !== waiter) ?? []
    if (others.length === 0) this.#waiting.delete(waiter.instanceId)
    else this.#waiting.set(waiter.instanceId, others)
  }

  #lookBy(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at + GATHER_MS) return
    this.#timer?.timer.cancel()
    const timer = this.#clock.schedule(at - this.#clock.monotonic(), () => this.#look(), { keepAlive: true })
    this.#timer = { at, timer }
  }

  /** The next look is for whoever is due first; with nobody waiting there is none. */
  #plan(): void {
    if (this.#waiting.size > 0) return
    this.#timer?.timer.cancel()
    this.#timer = undefined
  }

  #look(): void {
    this.#timer = undefined
    const until = this.#clock.monotonic() + GATHER_MS
    let next = Number.POSITIVE_INFINITY
    const due: Waiter[] = []
    for (const waiters of this.#waiting.values()) {
      for (const waiter of waiters) {
        if (waiter.lookAt > until) next = Math.min(next, waiter.lookAt)
        else {
          due.push(waiter)
          waiter.lookAt = Number.POSITIVE_INFINITY // until it was answered
        }
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#lookBy(next)
    for (const [tenant, waiters] of groupBy(due, (waiter) => waiter.tenant)) {
      for (let from = 0; from < waiters.length; from += MOST_AT_ONCE) {
        void this.#ask(tenant, waiters.slice(from, from + MOST_AT_ONCE))
      }
    }
  }

  async #ask(tenant: string, waiters: readonly Waiter[]): Promise<void> {
    let statuses: ReadonlyMap<string, string>
    try {
      statuses = await this.#instances.statuses(tenant, [...new Set(waiters.map((waiter) => waiter.instanceId))])
    } catch (error) {
      for (const waiter of waiters) this.#failed(waiter, error)
      return
    }
    for (const waiter of waiters) {
      const status = statuses.get(waiter.instanceId)
      if (status === undefined) this.#failed(waiter, new InstanceNotFound({ instanceId: waiter.instanceId }))
      else if (isEnded(status)) void this.#read(waiter, status)
      else this.#again(waiter, Math.min(LONGEST_LOOK_MS, Math.max(FIRST_LOOK_MS, waiter.pauseMs * 2)))
    }
  }

  async #read(waiter: Waiter, status: string): Promise<void> {
    try {
      const view = await this.#instances.get(waiter.tenant, waiter.instanceId)
      this.#remove(waiter)
      const { output = null, error } = view ?? {}
      waiter.settle({ status, output: output as Json, error: (error ?? undefined) as Failure | undefined })
    } catch (error) {
      this.#failed(waiter, error)
    }
  }

  #failed(waiter: Waiter, error: unknown): void {
    if (isRetryable(error)) return this.#again(waiter, LONGEST_LOOK_MS)
    this.#remove(waiter)
    waiter.fail(error)
  }

  #again(waiter: Waiter, pauseMs: number): void {
    if (this.#waiting.get(waiter.instanceId)?.includes(waiter) !== true) return // told meanwhile
    const now = this.#clock.monotonic()
    if (now >= waiter.deadline) {
      this.#remove(waiter)
      waiter.settle(undefined)
      return
    }
    waiter.pauseMs = pauseMs
    waiter.lookAt = Math.min(now + pauseMs, waiter.deadline)
    this.#lookBy(waiter.lookAt)
  }
}
