import { type Clock, type Json, sleep } from '@lockstep/base'
import type { Failure } from '../journal/fact.ts'
import type { InstanceReader } from '../store/instance-reader.ts'
import { InstanceNotFound } from '../definition/errors.ts'

export interface InstanceEnd {
  readonly status: string
  readonly output: Json
  readonly error: Failure | undefined
}

const ENDED = new Set(['completed', 'faulted', 'cancelled', 'terminated'])
const FIRST_LOOK_MS = 50
const LONGEST_LOOK_MS = 1_000

export const isEnded = (status: string): boolean => ENDED.has(status)

/** Waits for ends: told at once of those that happen on this node, and looking for the others. */
export class InstanceResults {
  readonly #instances: InstanceReader
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<(end: InstanceEnd) => void>>()

  constructor(instances: InstanceReader, clock: Clock) {
    this.#instances = instances
    this.#clock = clock
  }

  /** Called for every instance that ends on this node. */
  ended(instanceId: string, end: InstanceEnd): void {
    const waiters = this.#waiting.get(instanceId)
    if (waiters === undefined) return
    this.#waiting.delete(instanceId)
    for (const tell of waiters) tell(end)
  }

  /** `undefined`: it had not ended when the time was over. `here`: it began on this node, so the first look can wait. */
  async wait(tenant: string, instanceId: string, limitMs: number, here: boolean): Promise<InstanceEnd | undefined> {
    const over = new AbortController()
    let told: ((end: InstanceEnd) => void) | undefined
    const local = new Promise<InstanceEnd>((resolve) => {
      told = resolve
      const waiters = this.#waiting.get(instanceId)
      if (waiters === undefined) this.#waiting.set(instanceId, new Set([resolve]))
      else waiters.add(resolve)
    })
    try {
      return await Promise.race([local, this.#look(tenant, instanceId, limitMs, here ? LONGEST_LOOK_MS : 0, over.signal)])
    } finally {
      over.abort()
      const waiters = this.#waiting.get(instanceId)
      if (told !== undefined) waiters?.delete(told)
      if (waiters?.size === 0) this.#waiting.delete(instanceId)
    }
  }

  async #look(tenant: string, instanceId: string, limitMs: number, firstMs: number, signal: AbortSignal): Promise<InstanceEnd | undefined> {
    const deadline = this.#clock.monotonic() + limitMs
    let pauseMs = firstMs
    for (;;) {
      const leftMs = deadline - this.#clock.monotonic()
      if (leftMs <= 0) return undefined
      if (pauseMs > 0) await sleep(this.#clock, Math.min(pauseMs, leftMs), signal).catch(() => undefined)
      if (signal.aborted) return undefined
      const status = await this.#instances.status(tenant, instanceId)
      if (status === undefined) throw new InstanceNotFound({ instanceId })
      if (isEnded(status)) {
        const view = await this.#instances.get(tenant, instanceId)
        return { status, output: (view?.output ?? null) as Json, error: (view?.error ?? undefined) as Failure | undefined }
      }
      pauseMs = Math.min(LONGEST_LOOK_MS, Math.max(FIRST_LOOK_MS, pauseMs * 2))
    }
  }
}
