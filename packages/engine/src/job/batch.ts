/**
 * A batch: one run of a job per item, and a barrier at the end. It is a workflow itself: the runs are its children, their ends come to it as
 * to any parent, and what follows is its last step. So the barrier opens once, when all have ended, whatever nodes died on the way.
 */
import type { Json } from '@lockstep/base'
import { workflow } from '../function/workflow.ts'
import type { JobRun } from '../schedule/run-input.ts'
import { failureOf } from '../step/failure.ts'

export const BATCH_WORKFLOW = 'lockstep.batch'

export interface BatchInput {
  readonly job: string
  readonly items: readonly Json[]
  /** Job that runs when all have ended. */
  readonly then?: string
}

export type BatchItem =
  | { readonly status: 'completed'; readonly output: Json }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }

export interface BatchOutcome {
  /** In the order of the items. */
  readonly items: readonly BatchItem[]
  readonly completed: number
  readonly failed: number
}

export const batchWorkflow = workflow(
  BATCH_WORKFLOW,
  async (ctx, { job, items, then }: BatchInput): Promise<BatchOutcome> => {
    const scheduledAt = new Date(ctx.now()).toISOString()
    const runOf = (name: string, key: string, input: Json): JobRun<Json> => ({
      key: `${name}@${key}`,
      scheduledAt,
      input,
    })
    const ended = await ctx.all(
      items.map(async (item, index): Promise<BatchItem> => {
        try {
          const output = await ctx.run(job, runOf(job, `batch:${ctx.instanceId}:${index}`, item))
          return { status: 'completed', output: (output ?? null) as Json }
        } catch (error) {
          if (ctx.signal.aborted) throw error
          // Of a run that failed: its own secrets are out of what it tells.
          const { code, message } = failureOf(error, String(index), (text) => text)
          return { status: 'failed', code, message }
        }
      }),
    )
    const completed = ended.filter((item) => item.status === 'completed').length
    const outcome: BatchOutcome = { items: ended, completed, failed: ended.length - completed }
    if (then !== undefined)
      await ctx.run(then, runOf(then, `batch:${ctx.instanceId}`, { ...outcome } as unknown as Json))
    return outcome
  },
)
