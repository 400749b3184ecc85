/** The browser's clock and timers: the only file that reads them. */
export const hostNow = (): number => Date.now()

/** Milliseconds that only ever rise: for how long ago something was, never for when. */
export const hostMonotonic = (): number => performance.now()

/** Calls `run` in `ms`; the answer calls it off. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Calls `run` every `ms`; the answer ends it. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve))
