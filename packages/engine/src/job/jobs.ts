import { InvalidOption, type Json } from '@lockstep/base'
import type { Schedules, TriggerOutcome } from '../schedule/schedules.ts'
import { toPayload } from '../step/payload.ts'
import { BATCH_WORKFLOW, type BatchInput } from './batch.ts'
import type { AnyJob, Job } from './job.ts'

export interface JobsOptions {
  readonly schedules: Schedules
  readonly start: (request: { tenant?: string; definitionId: string; input: unknown; dedupeKey?: string }) => Promise<{
    readonly instanceId: string
    readonly created: boolean
  }>
}

export interface BatchRequest {
  readonly tenant?: string
  /** Job that runs once, when all have ended; its input is what became of them. */
  readonly then?: string | AnyJob
  /** Two batches with one key are one. */
  readonly key?: string
}

const MOST_ITEMS = 10_000

/** Jobs by hand. What `run` starts counts for the jobs after it, as scheduled runs do; items of a batch have their own end. */
export class Jobs {
  readonly #o: JobsOptions

  constructor(options: JobsOptions) {
    this.#o = options
  }

  /** One run now. A singleton that runs already answers `skipped`. */
  run<Input>(
    job: string | Job<Input>,
    input?: Input,
    options: { readonly tenant?: string; readonly key?: string } = {},
  ): Promise<TriggerOutcome> {
    return this.#o.schedules.triggerNow(nameOf(job), { ...options, ...(input === undefined ? {} : { input }) })
  }

  /** One run per item, side by side, and one that follows when all have ended. Answers the instance that waits for them. */
  async runBatch<Input>(
    job: string | Job<Input>,
    items: readonly Input[],
    { tenant, then, key }: BatchRequest = {},
  ): Promise<{ readonly instanceId: string; readonly created: boolean }> {
    if (items.length > MOST_ITEMS)
      throw new InvalidOption({ option: 'items', rule: `at most ${MOST_ITEMS}`, value: items.length })
    const input: BatchInput = {
      job: nameOf(job),
      items: items.map((item) => toPayload(item, 'An item')) as readonly Json[],
      ...(then === undefined ? {} : { then: nameOf(then) }),
    }
    return this.#o.start({
      definitionId: BATCH_WORKFLOW,
      input,
      ...(tenant === undefined ? {} : { tenant }),
      ...(key === undefined ? {} : { dedupeKey: key }),
    })
  }
}

const nameOf = (job: string | AnyJob): string => (typeof job === 'string' ? job : job.name)
