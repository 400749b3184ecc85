import type { Clock } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'

/** Virtual time that passes by itself: a millisecond with every turn of the event loop, and at once what `elapse` asks for. */
export interface FlowingClock extends Clock {
  elapse(ms: number): Promise<void>
  stop(): Promise<void>
}

export function flowingClock(): FlowingClock {
  const clock = virtualClock()
  const leaps: { ms: number; done: () => void }[] = []
  let flows = true

  const flow = async (): Promise<void> => {
    while (flows) {
      const leap = leaps.shift()
      await clock.advance(leap?.ms ?? 1)
      leap?.done()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    for (const { done } of leaps) done()
  }
  const flowing = flow()

  return {
    now: clock.now,
    monotonic: clock.monotonic,
    schedule: clock.schedule,
    soon: clock.soon,
    elapse: (ms) => new Promise((done) => leaps.push({ ms, done })),
    stop: () => {
      flows = false
      return flowing
    },
  }
}
