import type { Clock, Timer } from './clock.ts'

/** Longest delay that Node's timers take; longer ones would fire at once. */
const LONGEST_DELAY_MS = 2_147_483_647

/** Never early by `monotonic`: Node's timers cut fractions of a millisecond off, of the delay and of the moment they count from. */
function schedule(delayMs: number, run: () => void, options: { readonly keepAlive?: boolean } = {}): Timer {
  let handle: NodeJS.Timeout
  const dueAt = performance.now() + Math.max(0, delayMs)
  const arm = (leftMs: number): void => {
    handle = setTimeout(reached, Math.min(Math.ceil(leftMs), LONGEST_DELAY_MS))
    if (options.keepAlive !== true) handle.unref()
  }
  const reached = (): void => {
    const leftMs = dueAt - performance.now()
    if (leftMs > 0) arm(leftMs)
    else run()
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
