import type { Clock } from '../clock/clock.ts'
import { TimedOut } from '../error/errors.ts'

/** Settles as `work` does, or rejects with `TIMED_OUT` after `limitMs`. The work itself goes on: pair it with a signal where it can be stopped. */
export async function withTimeout<T>(clock: Clock, limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let cancel = (): void => {}
  const late = new Promise<never>((_, reject) => {
    const timer = clock.schedule(limitMs, () => reject(new TimedOut({ what, afterMs: limitMs })), { keepAlive: true })
    cancel = () => timer.cancel()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    cancel()
  }
}
