import { setMaxListeners } from 'node:events'

/**
 * An abort controller that exists only once somebody asks for its signal. Most steps never do, and a controller costs more
 * than the rest of a small step.
 */
export class LazyAbort {
  readonly #parent: LazyAbort | undefined
  #controller: AbortController | undefined
  #aborted: { readonly reason: unknown } | undefined
  #unlink: (() => void) | undefined

  /** Aborts with `parent`, until it is released. */
  constructor(parent?: LazyAbort) {
    this.#parent = parent
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      setMaxListeners(0, this.#controller.signal) // an instance may run any number of steps at once
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
      else if (this.#parent !== undefined) this.#follow(this.#parent.signal)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    this.#controller?.abort(reason)
    this.release()
  }

  /** Follows its parent no longer. */
  release(): void {
    this.#unlink?.()
    this.#unlink = undefined
  }

  #follow(signal: AbortSignal): void {
    const follow = (): void => this.abort(signal.reason)
    if (signal.aborted) return follow()
    signal.addEventListener('abort', follow, { once: true })
    this.#unlink = () => signal.removeEventListener('abort', follow)
  }
}
