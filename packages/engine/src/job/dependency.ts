/** What a job waits for. Its parents are other jobs, by name. */
export interface Dependency {
  readonly kind: 'completed' | 'failed'
  readonly jobs: readonly string[]
  /** So many of them are enough. */
  readonly count: number
  /** From the first end on; after that a new round begins. */
  readonly withinMs: number
}

/** A dependency as its author writes it: the time within which its parents belong together is the job's to say. */
export type After = Omit<Dependency, 'withinMs'>

/** When every one of them has completed. */
export const all = (...jobs: readonly string[]): After => ({ kind: 'completed', jobs, count: jobs.length })

/** When the first of them has completed; the others then belong to the same round. */
export const any = (...jobs: readonly string[]): After => ({ kind: 'completed', jobs, count: 1 })

export const atLeast = (count: number, ...jobs: readonly string[]): After => ({ kind: 'completed', jobs, count })

/** When the first of them has ended in another way than completed. */
export const onFailure = (...jobs: readonly string[]): After => ({ kind: 'failed', jobs, count: 1 })
