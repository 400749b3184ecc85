import { type Clock, isRetryable, type Json, type Timer } from '@lockstep/base'
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
  wait(tenant: string, instanceId: string, limitMs: number, here: boolean): Promise<InstanceEnd | undefined> {
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined
      const deadline = this.#clock.monotonic() + limitMs
      const stop = (): void => {
        timer?.cancel()
        const waiters = this.#waiting.get(instanceId)
        waiters?.delete(told)
        if (waiters?.size === 0) this.#waiting.delete(instanceId)
      }
      const told = (end: InstanceEnd): void => {
        stop()
        resolve(end)
      }
      const look = (pauseMs: number): void => {
        const leftMs = deadline - this.#clock.monotonic()
        timer = this.#clock.schedule(
          Math.min(pauseMs, leftMs),
          () => {
            this.#read(tenant, instanceId).then(
              (end) => {
                if (end !== undefined) told(end)
                else if (this.#clock.monotonic() >= deadline) {
                  stop()
                  resolve(undefined)
                } else look(Math.min(LONGEST_LOOK_MS, Math.max(FIRST_LOOK_MS, pauseMs * 2)))
              },
              (error: unknown) => {
                if (isRetryable(error)) return look(LONGEST_LOOK_MS)
                stop()
                reject(error)
              },
            )
          },
          { keepAlive: true },
        )
      }
      const waiters = this.#waiting.get(instanceId)
      if (waiters === undefined) this.#waiting.set(instanceId, new Set([told]))
      else waiters.add(told)
      look(here ? LONGEST_LOOK_MS : 0)
    })
  }

  async #read(tenant: string, instanceId: string): Promise<InstanceEnd | undefined> {
    const status = await this.#instances.status(tenant, instanceId)
    if (status === undefined) throw new InstanceNotFound({ instanceId })
    if (!isEnded(status)) return undefined
    const view = await this.#instances.get(tenant, instanceId)
    return { status, output: (view?.output ?? null) as Json, error: (view?.error ?? undefined) as Failure | undefined }
  }
}
