/** How much the next batch takes, and how long it waits. Pure: the sweep tells it how the last one went. */
export interface Pace {
  readonly rows: number
  readonly pauseMs: number
}

export interface PaceLimits {
  readonly mostRows: number
  /** Part of the time that batches may take. */
  readonly share: number
}

/** A batch that takes longer holds up whoever comes after it on the same core or disk: what it costs the slowest commits is its length, not its rows. */
const BATCH_MS = 4
const LEAST_ROWS = 50
const SHORTEST_PAUSE_MS = 5
const FIRST_PRESSED_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

export const firstPace = ({ mostRows }: PaceLimits): Pace => ({
  rows: Math.min(mostRows, 500),
  pauseMs: SHORTEST_PAUSE_MS,
})

/** Batches shrink until they are short, and rest in proportion; while others wait they are halved and rest twice as long each time. */
export function nextPace(
  pace: Pace,
  last: { readonly tookMs: number; readonly pressed: boolean },
  limits: PaceLimits,
): Pace {
  const { tookMs, pressed } = last
  if (pressed) {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PRESSED_PAUSE_MS, pace.pauseMs * 2))
    return { rows: atLeast(pace.rows / 2, limits), pauseMs }
  }
  const fit = tookMs > BATCH_MS ? pace.rows * (BATCH_MS / tookMs) : pace.rows * 1.25
  return { rows: atLeast(fit, limits), pauseMs: restMs(tookMs, limits) }
}

/** After something that took so long. */
export const restMs = (tookMs: number, { share }: PaceLimits): number =>
  Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, tookMs * (1 / share - 1)))

/** Of a sweep that does not keep up. */
const MOST_SHARE = 0.25

/** A sweep that has gone on until the next one was due is behind: its share doubles each time, or the store would fill up for ever. */
export function shareAfter(share: number, lastedMs: number, everyMs: number): number {
  const behind = 2 ** Math.min(10, Math.floor(lastedMs / everyMs))
  return Math.max(share, Math.min(MOST_SHARE, share * behind))
}

const atLeast = (rows: number, { mostRows }: PaceLimits): number =>
  Math.floor(Math.min(mostRows, Math.max(rows, Math.min(LEAST_ROWS, mostRows))))
