import type { JsonObject } from '@lockstep/base'
import type { Failure, OpenedFact } from '../journal/fact.ts'
import type { StepToRun } from './ready.ts'

/** The fact that opens a container with its evaluated inputs, or why these do not fit. */
export function openContainer({ step, activity }: StepToRun, inputs: JsonObject): OpenedFact | Failure {
  const timeout = activity.timeoutMs === undefined ? {} : { timeoutMs: activity.timeoutMs }
  switch (activity.container) {
    case 'for-each': {
      const { items, concurrency } = inputs
      if (!Array.isArray(items)) return badInput(`"items" must be an array, not ${describe(items)}`)
      if (concurrency === undefined || concurrency === null) return { kind: 'opened', step, items, ...timeout }
      if (typeof concurrency !== 'number' || !Number.isInteger(concurrency) || concurrency < 1) {
        return badInput(`"concurrency" must be a whole number from 1, not ${describe(concurrency)}`)
      }
      return { kind: 'opened', step, items, concurrency, ...timeout }
    }
    case 'parallel': {
      const { join } = inputs
      if (join === undefined || join === null) return { kind: 'opened', step, ...timeout }
      if (join !== 'all' && join !== 'any') return badInput(`"join" must be all or any, not ${describe(join)}`)
      return { kind: 'opened', step, join, ...timeout }
    }
    default:
      return { kind: 'opened', step, ...timeout }
  }
}

const badInput = (message: string): Failure => ({ code: 'INVALID_INPUT', message })

const describe = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'missing'
