import type { Failure, StepKey } from '../journal/fact.ts'

/** A line of workflows that run one another and is longer than it may be; `undefined`: it is not. */
export function checkDepth(step: StepKey, depth: number, limit: number): Failure | undefined {
  if (depth < limit) return undefined
  const message = `Workflows that run one another are ${depth} deep, the limit is ${limit}: look for a circle, or raise limits.depth and retry`
  return { code: 'TOO_DEEP', message, step, limit: 'depth' }
}
