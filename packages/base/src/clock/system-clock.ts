import type { Clock, Timer } from './clock.ts'

/** Longest delay that Node's timers take; longer ones would fire at once. */
const LONGEST_DELAY_MS = 2_147_483_647

function schedule(delayMs: number, run: () => void, options: { readonly keepAlive?: boolean } = {}): Timer {
  let handle: NodeJS.Timeout
  const arm = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, LONGEST_DELAY_MS)
    handle = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : run()), stepMs)
    if (options.keepAlive !== true) handle.unref()
  }
  arm(Math.max(0, delayMs))
  return { cancel: () => clearTimeout(handle) }
}

/** The machine's own clock. Only compositions and tests may pick it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule,
  soon: (run) => setImmediate(run),
}
