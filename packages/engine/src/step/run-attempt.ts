import { type Clock, linkedAbort, TimedOut } from '@lockstep/base'

/** Runs one attempt of a step: aborted with `signal`, or after `timeoutMs`. Code that ignores the signal is left behind, its result unused. */
export async function runAttempt<T>(
  clock: Clock,
  parent: AbortSignal,
  what: string,
  timeoutMs: number | undefined,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  using abort = linkedAbort(parent)
  if (timeoutMs === undefined) return await run(abort.signal)
  const late = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
  })
  const timer = clock.schedule(timeoutMs, () => abort.abort(new TimedOut({ what, afterMs: timeoutMs })))
  try {
    return await Promise.race([run(abort.signal), late])
  } finally {
    timer.cancel()
  }
}
