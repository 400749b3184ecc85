/** Tells whoever waits at the terminal what is going on. One line each, on stderr. */
export type Progress = (line: string) => void

export function progressTo(quiet: boolean): Progress {
  if (quiet) return () => undefined
  return (line) => void process.stderr.write(`[harness] ${line}\n`)
}

/** Starts a stopwatch that reads as `1.4 s`. */
export function stopwatch(): () => string {
  const startedAt = performance.now()
  return () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}
