import type { JsonObject } from '@lockstep/base'
import type { Failure, OpenedFact } from '../journal/fact.ts'
import { rangeOf } from './containers/number-range.ts'
import type { StepToRun } from './ready.ts'

/** The fact that opens a container with its evaluated inputs, or lets a while go on; or why these do not fit. */
export function openContainer(run: StepToRun, inputs: JsonObject): OpenedFact | Failure {
  const { step, activity } = run
  const opened: OpenedFact = {
    kind: 'opened',
    step,
    // It counts from the first turn.
    ...(activity.timeoutMs !== undefined && !run.turn && { timeoutMs: activity.timeoutMs }),
  }
  switch (activity.container) {
    case 'for-each': {
      const { items } = inputs
      if (!Array.isArray(items)) return badInput(`"items" must be an array, not ${describe(items)}`)
      return counted({ ...opened, items }, inputs)
    }
    case 'for': {
      const range = rangeOf(inputs)
      return 'problem' in range ? badInput(range.problem) : counted({ ...opened, range }, inputs)
    }
    case 'while':
      return nextTurn(run, { ...opened, condition: Boolean(inputs.condition) }, inputs)
    case 'parallel': {
      const { join } = inputs
      if (join === undefined || join === null) return opened
      if (join !== 'all' && join !== 'any') return badInput(`"join" must be all or any, not ${describe(join)}`)
      return { ...opened, join }
    }
    case 'compensate':
      return typeof inputs.scope === 'string' ? { ...opened, scope: inputs.scope } : opened
    default:
      return opened
  }
}

function counted(opened: OpenedFact, { concurrency, collect }: JsonObject): OpenedFact | Failure {
  const fact = typeof collect === 'string' ? { ...opened, collect } : opened
  if (concurrency === undefined || concurrency === null) return fact
  if (typeof concurrency !== 'number' || !Number.isInteger(concurrency) || concurrency < 1) {
    return badInput(`"concurrency" must be a whole number from 1, not ${describe(concurrency)}`)
  }
  return { ...fact, concurrency }
}

function nextTurn({ step, turn = 0 }: StepToRun, opened: OpenedFact, { maxTurns }: JsonObject): OpenedFact | Failure {
  if (opened.condition !== true || typeof maxTurns !== 'number' || turn < maxTurns) return opened
  const message = `The condition of "${step}" still holds after ${maxTurns} turns, which is its "maxTurns"`
  return { code: 'TOO_MANY_TURNS', message }
}

const badInput = (message: string): Failure => ({ code: 'INVALID_INPUT', message })

const describe = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'missing'
