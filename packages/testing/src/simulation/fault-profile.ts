import type { Random } from '@lockstep/base'

/** What can go wrong with one call. Rates are between 0 and 1; what they leave is `ok`. */
export interface FaultRates {
  /** The connection breaks before anything was applied, and the caller is told so. */
  readonly failed: number
  /** Applied, but the answer is lost: `COMMIT_UNKNOWN` (reads: `CONNECTION_LOST`). */
  readonly lostAnswer: number
  /** Not applied, and the caller cannot know: `COMMIT_UNKNOWN`. */
  readonly lostRequest: number
  /** The caller is told `COMMIT_UNKNOWN` first, and the database applies it afterwards. */
  readonly late: number
}

export interface FaultProfile extends FaultRates {
  /** Round trip of an ordinary call. */
  readonly latencyMs: readonly [least: number, most: number]
  /** Rate of calls that take a hundred times as long. On top of the faults. */
  readonly slow: number
  /** Rates for single calls, by name (`commits.commit`) or port (`agenda`). */
  readonly calls?: Readonly<Record<string, Partial<FaultRates & { readonly slow: number }>>>
}

export type Fate = 'ok' | keyof FaultRates

export const calmWeather: FaultProfile = {
  failed: 0,
  lostAnswer: 0,
  lostRequest: 0,
  late: 0,
  slow: 0,
  latencyMs: [0.2, 3],
}

/** Something happens to about every twelfth call. */
export const roughWeather: FaultProfile = {
  failed: 0.03,
  lostAnswer: 0.02,
  lostRequest: 0.01,
  late: 0,
  slow: 0.02,
  latencyMs: [0.2, 8],
}

const SLOW_FACTOR = 100

export interface Journey {
  readonly fate: Fate
  /** Until the atomic step. */
  readonly thereMs: number
  /** From the step to the answer. */
  readonly backMs: number
}

/** Always draws the same number of random values, so that a changed rate does not shift everything after it. */
export function drawJourney(profile: FaultProfile, random: Random, call: string): Journey {
  const rates = { ...profile, ...profile.calls?.[call.slice(0, call.indexOf('.'))], ...profile.calls?.[call] }
  const [least, most] = profile.latencyMs
  const [fateDraw, slowDraw, latencyDraw, split] = [random.next(), random.next(), random.next(), random.next()]
  const latency = (least + latencyDraw * (most - least)) * (slowDraw < rates.slow ? SLOW_FACTOR : 1)
  return { fate: pickFate(rates, fateDraw), thereMs: latency * split, backMs: latency * (1 - split) }
}

function pickFate(rates: FaultRates, draw: number): Fate {
  let left = draw
  for (const fate of ['failed', 'lostAnswer', 'lostRequest', 'late'] as const) {
    left -= rates[fate]
    if (left < 0) return fate
  }
  return 'ok'
}
