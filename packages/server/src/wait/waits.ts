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

  close(): void {
    this.#closed = true
    for (const letGo of this.#open) letGo()
  }
}
