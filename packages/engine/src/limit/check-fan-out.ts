import type { Failure, OpenedFact, StepKey } from '../journal/fact.ts'

/** A loop or a set of branches that is wider than one instance may be; `undefined`: it is not. */
export function checkFanOut(step: StepKey, count: number, limit: number): Failure | undefined {
  if (count <= limit) return undefined
  const message = `"${step}" would run ${count} times, the limit is ${limit}: raise limits.fanOut and retry, or split the work`
  return { code: 'LIMIT_FAN_OUT', message, step, limit: 'fanOut' }
}

/** How often the body of a container will run, as far as that is known when it opens. */
export function widthOf(fact: OpenedFact, branchCount: number | undefined): number {
  return fact.items?.length ?? fact.range?.count ?? branchCount ?? 1
}
