import type { BreakerPolicy } from '../step/step-policies.ts'

/** The moments of the last failures of one breaker, as this node saw them. */
export class FailureWindow {
  /** Of the breaker that let them through. */
  readonly generation: number
  #moments: number[] = []

  constructor(generation: number) {
    this.generation = generation
  }

  /** `true`: as many as open a breaker, within its window. */
  add(now: number, { failures, windowMs }: Pick<BreakerPolicy, 'failures' | 'windowMs'>): boolean {
    this.#moments = this.#moments.filter((at) => at > now - windowMs)
    this.#moments.push(now)
    return this.#moments.length >= failures
  }
}
