import type { Clock } from './clock.ts'

/** Waits `delayMs` of `clock`'s time. Rejects with the signal's reason when aborted, and leaves no timer behind. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = clock.schedule(
      delayMs,
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      { keepAlive: true },
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
