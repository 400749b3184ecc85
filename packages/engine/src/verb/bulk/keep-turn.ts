import type { Clock, Timer } from '@lockstep/base'

/** Renews a turn while `work` is under way: it may take longer than the turn lasts. One that is lost stays lost, and `work` ends nevertheless. */
export async function keepTurn<T>(
  clock: Clock,
  everyMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false
  let timer: Timer | undefined
  let renewing: Promise<void> | undefined
  const wait = (): void => {
    timer = clock.schedule(everyMs, () => {
      renewing = renew().then(next, next)
    })
  }
  const next = (): void => {
    if (!isOver) wait()
  }
  wait()
  try {
    return await work()
  } finally {
    isOver = true
    timer?.cancel()
    // What comes later must not find a turn that was given back.
    await renewing
  }
}
