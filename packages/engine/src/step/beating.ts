import { type Clock, defineError, LazyAbort, type Timer } from '@lockstep/base'

export const HeartbeatMissed = defineError(
  'HEARTBEAT_MISSED',
  { retryable: true },
  (d: { what: string; afterMs: number }) => `${d.what} gave no heartbeat for ${d.afterMs} ms`,
)

/**
 * Runs code that must say again and again that it lives: aborted when it was silent for `heartbeatMs`. Code that ignores the signal is left
 * behind, its result unused.
 */
export async function runBeating<T>(
  clock: Clock,
  parent: LazyAbort,
  what: string,
  heartbeatMs: number | undefined,
  run: (abort: LazyAbort, beat: () => void) => Promise<T>,
): Promise<T> {
  if (heartbeatMs === undefined) return run(parent, () => {})
  const abort = new LazyAbort(parent)
  let giveUp: (error: unknown) => void = () => {}
  const silent = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  let lastAt = clock.monotonic()
  let timer: Timer
  const watch = (inMs: number): void => {
    timer = clock.schedule(inMs, () => {
      const leftMs = lastAt + heartbeatMs - clock.monotonic()
      if (leftMs > 0) return watch(leftMs)
      const error = new HeartbeatMissed({ what, afterMs: heartbeatMs })
      abort.abort(error)
      giveUp(error)
    })
  }
  watch(heartbeatMs)
  try {
    const beat = (): void => {
      lastAt = clock.monotonic()
    }
    return await Promise.race([run(abort, beat), silent])
  } finally {
    timer!.cancel()
    abort.release()
  }
}
