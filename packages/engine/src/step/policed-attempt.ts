import { type Clock, LazyAbort } from '@lockstep/base'
import type { Lease } from '@lockstep/coordination'
import { runBeating } from './beating.ts'
import { runAttempt } from './run-attempt.ts'

export interface AttemptBounds {
  readonly timeoutMs: number | undefined
  readonly heartbeatMs: number | undefined
  /** Of the lock that it runs under. */
  readonly lease: Lease | undefined
}

/** Runs one attempt of a step: aborted with `parent`, by its time-out, when it was silent for too long, and when its lock was lost. */
export function runPoliced<T>(
  clock: Clock,
  parent: LazyAbort,
  what: string,
  { timeoutMs, heartbeatMs, lease }: AttemptBounds,
  run: (abort: LazyAbort, beat: () => void) => Promise<T>,
): Promise<T> {
  if (heartbeatMs === undefined && lease === undefined)
    return runAttempt(clock, parent, what, timeoutMs, (abort) => run(abort, noBeat))
  return runAttempt(clock, parent, what, timeoutMs, (timed) =>
    runBeating(clock, timed, what, heartbeatMs, (beating, beat) =>
      underLease(beating, lease, (abort) => run(abort, beat)),
    ),
  )
}

const noBeat = (): void => {}

/** What ends well under a lock that was lost has failed: it was not alone. */
async function underLease<T>(
  parent: LazyAbort,
  lease: Lease | undefined,
  run: (abort: LazyAbort) => Promise<T>,
): Promise<T> {
  if (lease === undefined) return run(parent)
  const abort = new LazyAbort(parent)
  let onLost = (): void => {}
  const lost = new Promise<never>((_, reject) => {
    onLost = () => {
      abort.abort(lease.signal.reason)
      reject(lease.signal.reason)
    }
  })
  lease.signal.addEventListener('abort', onLost, { once: true })
  try {
    const value = await Promise.race([run(abort), lost])
    lease.assertHeld()
    return value
  } finally {
    lease.signal.removeEventListener('abort', onLost)
    abort.release()
  }
}
