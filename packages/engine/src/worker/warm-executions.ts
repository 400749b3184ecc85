import type { Execution } from './execution.ts'
import type { HeldStart } from './holder.ts'

export interface WarmInstance {
  readonly execution: Execution
  readonly rest: HeldStart
}

/**
 * Suspended instances that are still in memory. One may be continued only by the very next claim: a claim number between
 * means that somebody else has written to it. The oldest are let go first.
 */
export class WarmExecutions {
  readonly #instances = new Map<string, WarmInstance>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  keep(instance: WarmInstance): void {
    const { instanceId } = instance.rest.identity
    this.#instances.delete(instanceId)
    this.#instances.set(instanceId, instance)
    if (this.#instances.size <= this.#limit) return
    const [oldest] = this.#instances
    if (oldest !== undefined) this.#discard(oldest[0], oldest[1])
  }

  /** `undefined`: not here, or stale. */
  take(instanceId: string, claimNo: number): WarmInstance | undefined {
    const found = this.#instances.get(instanceId)
    if (found === undefined) return undefined
    if (found.rest.claimNo === claimNo - 1) {
      this.#instances.delete(instanceId)
      return found
    }
    this.#discard(instanceId, found)
    return undefined
  }

  clear(): void {
    for (const [id, each] of this.#instances) this.#discard(id, each)
  }

  #discard(instanceId: string, instance: WarmInstance): void {
    this.#instances.delete(instanceId)
    instance.execution.dispose('no longer in memory')
  }
}
