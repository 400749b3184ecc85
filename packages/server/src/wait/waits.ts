import type { Engine } from '@lockstep/engine'

/**
 * Requests that wait for an instance to end. Closing lets them all go: each then answers with the instance as it stands,
 * so that a server that stops does not have to cut anybody off.
 */
export class Waits {
  readonly #engine: Engine
  readonly #open = new Set<() => void>()
  #closed = false

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Settles when the instance has ended, the time is over, or the server closes. `here`: it began on this node. */
  async forEnd(tenant: string, instanceId: string, limitMs: number, here: boolean): Promise<void> {
    if (this.#closed) return
    let letGo: (() => void) | undefined
    const released = new Promise<void>((resolve) => {
      letGo = resolve
      this.#open.add(resolve)
    })
    try {
      await Promise.race([this.#engine.waitForEnd(instanceId, { tenant, limitMs, here }), released])
    } finally {
      if (letGo !== undefined) this.#open.delete(letGo)
    }
  }

  /** Runs what waits for something; the signal says that the server closes and that it should answer with what there is. */
  async within<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const letGo = (): void => controller.abort()
    if (this.#closed) letGo()
    this.#open.add(letGo)
    try {
      return await run(controller.signal)
    } finally {
      this.#open.delete(letGo)
    }
  }

  close(): void {
    this.#closed = true
    for (const letGo of this.#open) letGo()
  }
}
