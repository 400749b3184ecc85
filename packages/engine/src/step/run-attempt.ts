import { type Clock, LazyAbort, TimedOut } from '@lockstep/base'

/** Runs one attempt of a step: aborted with `parent`, or after `timeoutMs`. Code that ignores the signal is left behind, its result unused. */
export async function runAttempt<T>(
  clock: Clock,
  parent: LazyAbort,
  what: string,
  timeoutMs: number | undefined,
  run: (abort: LazyAbort) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return run(parent)
  const abort = new LazyAbort(parent)
  let giveUp: (error: unknown) => void = () => {}
  const late = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  const timer = clock.schedule(timeoutMs, () => {
    const error = new TimedOut({ what, afterMs: timeoutMs })
    abort.abort(error)
    giveUp(error)
  })
  try {
    return await Promise.race([run(abort), late])
  } finally {
    timer.cancel()
    abort.release()
  }
}
