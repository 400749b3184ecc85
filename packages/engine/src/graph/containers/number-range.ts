import type { Json, JsonObject } from '@lockstep/base'

/** The numbers that a `for` goes through: `start + n * step` for n from 0 to `count - 1`. */
export interface NumberRange {
  readonly start: number
  readonly step: number
  readonly count: number
}

export const MOST_NUMBERS = 1_000_000
/** Ends that a sum of fractions misses by this share of a step are reached: 0 to 1 by 0.1 has eleven numbers. */
const TOLERANCE = 1e-9

/** What the inputs of a `for` mean, or why they mean nothing. Values that are no numbers are the schema's business. */
export function rangeOf(inputs: JsonObject): NumberRange | { readonly problem: string } {
  const start = numberOr(inputs.start, 0)
  const end = numberOr(inputs.end, 0)
  const step = numberOr(inputs.step, 1)
  const inclusive = inputs.inclusive !== false
  if (step === 0) return { problem: '"step" must not be 0: the loop would never end' }
  if (typeof inputs.step === 'number' && (end - start) * step < 0) {
    const direction = step > 0 ? 'up' : 'down'
    return { problem: `"step" ${step} counts ${direction}, away from ${start} to ${end}: change its sign` }
  }
  const steps = (end - start) / step
  const count = Math.max(0, inclusive ? Math.floor(steps + TOLERANCE) + 1 : Math.ceil(steps - TOLERANCE))
  if (count > MOST_NUMBERS)
    return { problem: `From ${start} to ${end} by ${step} are more than ${MOST_NUMBERS} turns: use a larger "step"` }
  if (count > 1 && (start + step === start || end - step === end))
    return { problem: `"step" ${step} is too small to be added to ${start}: the loop would never end` }
  return { start, step, count }
}

const numberOr = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise)
