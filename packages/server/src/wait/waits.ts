import { PassingMap } from '@lockstep/base'
import type { Engine, InstanceState } from '@lockstep/engine'

/**
 * Requests that wait for an instance to end. Closing lets them all go: each then answers with the instance as it stands,
 * so that a server that stops does not have to cut anybody off.
 */
export class Waits {
  readonly #engine: Engine
  readonly #open = new PassingMap<number, () => void>()
  #count = 0
  #closed = false

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * Settles when the instance has ended, the time is over, or the server closes. Answers how it ended where this node knows that without
   * asking the store. `here`: it began on this node.
   */
  forEnd(tenant: string, instanceId: string, limitMs: number, here: boolean): Promise<InstanceState | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const number = this.#add(() => resolve(undefined))
      const ended = this.#engine.waitForLast(instanceId, { tenant, limitMs, here })
      const stop = (): boolean => this.#open.delete(number)
      ended.then(
        (last) => stop() && resolve(last),
        (error) => stop() && reject(error),
      )
    })
  }

  /** Runs what waits for something; the signal says that the server closes and that it should answer with what there is. */
  async within<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const letGo = (): void => controller.abort()
    if (this.#closed) letGo()
    const number = this.#add(letGo)
    try {
      return await run(controller.signal)
    } finally {
      this.#open.delete(number)
    }
  }

  #add(letGo: () => void): number {
    this.#count += 1
    this.#open.set(this.#count, letGo)
    return this.#count
  }

  close(): void {
    this.#closed = true
    for (const letGo of this.#open.values()) letGo()
  }
}
