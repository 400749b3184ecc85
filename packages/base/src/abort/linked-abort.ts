/** A controller that follows other signals until it is disposed. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

/**
 * Aborts when any of `sources` does. Unlike `AbortSignal.any` it can be unlinked, so that a short task under a signal
 * that lives as long as the process leaves nothing behind.
 */
export function linkedAbort(...sources: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController()
  const links = sources.flatMap((source) => {
    if (source === undefined) return []
    const follow = (): void => controller.abort(source.reason)
    if (source.aborted) follow()
    else source.addEventListener('abort', follow, { once: true })
    return [() => source.removeEventListener('abort', follow)]
  })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => {
      for (const unlink of links) unlink()
    },
  }
}
