import { InvalidOption, type Json, parseDuration } from '@lockstep/base'
import { workflow } from '../function/workflow.ts'
import type { AnyWorkflow, FunctionWorkflow, WorkflowContext } from '../function/workflow-context.ts'
import { acceptSchedule } from '../schedule/compile-schedule.ts'
import type { JobRun, StoredDocument } from '../schedule/run-input.ts'
import type { InstantText, OverlapPolicy, ScheduleDocument, ScheduleTrigger } from '../schedule/schedule.ts'
import type { After, Dependency } from './dependency.ts'

/** What a schedule has besides its trigger means the same here. */
type Timing = Pick<ScheduleDocument, 'misfire' | 'graceMs' | 'dst' | 'jitterMs' | 'calendars' | 'startAt' | 'endAt'>

export interface JobOptions extends Timing {
  /** Five fields, or six with the second first. One of `cron`, `interval` and `at`. */
  readonly cron?: string
  readonly interval?: string | number
  /** An instant that the interval passes through. @default `startAt`, else 1970 */
  readonly anchor?: InstantText
  /** Runs once. */
  readonly at?: InstantText
  /** IANA name. @default 'UTC' */
  readonly zone?: string
  /** At most one run at a time in the whole cluster: occurrences that meet one are skipped. @default false */
  readonly singleton?: boolean
  /** What an occurrence does when an earlier one still runs. @default 'skip' when `singleton`, else 'allow' */
  readonly overlap?: OverlapPolicy
  /** Runs when other jobs have ended: `all('a', 'b')`, `any(…)`, `atLeast(2, …)`, `onFailure('a')`. */
  readonly after?: After
  /** Ends of other jobs that lie further apart do not belong together. @default '12h' */
  readonly within?: string | number
  /** What each scheduled run is given. */
  readonly input?: Json
  /** Raise it when a change of the code cannot follow the journals of running instances, or changes its times. @default 1 */
  readonly version?: number
}

/** A workflow that runs by itself: by the clock, after others, or both. */
export interface Job<Input = unknown> {
  readonly kind: 'job'
  readonly name: string
  readonly version: number
  readonly workflow: AnyWorkflow
  readonly document: StoredDocument & { readonly id: string; readonly job: string }
  /** Never set. Carries the type of a run's input. */
  readonly input?: Input
}

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds jobs with any input
export type AnyJob = Job<any>

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const LONGEST_NAME = 100

/** Declares a job. Its function is a durable workflow: the rules of `workflow` hold for it. */
export function job<Input = unknown, Output = unknown>(
  name: string,
  options: JobOptions,
  run: (context: WorkflowContext, run: JobRun<Input>) => Promise<Output>,
): Job<Input> {
  if (!SLUG.test(name) || name.length > LONGEST_NAME)
    throw new InvalidOption({ option: 'name', rule: 'a slug such as data-backup', value: name })
  const { version = 1 } = options
  const made: FunctionWorkflow<JobRun<Input>, Output> = workflow(name, run, { version })
  return { kind: 'job', name, version, workflow: made as AnyWorkflow, document: documentOf(name, options) }
}

function documentOf(name: string, options: JobOptions): Job['document'] {
  const { singleton = false } = options
  const { overlap = singleton ? 'skip' : 'allow' } = options
  if (singleton && overlap === 'allow')
    throw new InvalidOption({
      option: 'overlap',
      rule: 'skip, queue or cancel-previous for a singleton',
      value: overlap,
    })
  const trigger = triggerOf(name, options)
  const dependency = dependencyOf(name, options)
  if (trigger === undefined && dependency === undefined)
    throw new InvalidOption({ option: 'cron', rule: `set for job "${name}", or interval, at or after` })
  const own = { id: name, job: name, overlap, ...given(options, [...TIMING, 'input']) }
  if (trigger !== undefined) acceptSchedule({ ...own, trigger })
  return {
    ...own,
    ...(trigger === undefined ? {} : { trigger }),
    ...(dependency === undefined ? {} : { dependency }),
  }
}

const TIMING = ['misfire', 'graceMs', 'dst', 'jitterMs', 'calendars', 'startAt', 'endAt'] as const
const TRIGGER = ['cron', 'interval', 'anchor', 'at', 'zone'] as const

/** All that was written goes into it: the check of schedules says what does not belong together. */
function triggerOf(name: string, options: JobOptions): ScheduleTrigger | undefined {
  const { cron, interval, at } = options
  if (cron !== undefined || interval !== undefined || at !== undefined)
    return given(options, TRIGGER) as ScheduleTrigger
  const [idle] = Object.keys(given(options, [...TIMING, ...TRIGGER]))
  if (idle !== undefined && options.after !== undefined)
    throw new InvalidOption({
      option: idle,
      rule: `left out of job "${name}", which has neither cron, interval nor at`,
    })
  return undefined
}

function given<Key extends keyof JobOptions>(options: JobOptions, keys: readonly Key[]): Pick<JobOptions, Key> {
  return Object.fromEntries(keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]))) as Pick<
    JobOptions,
    Key
  >
}

function dependencyOf(name: string, { after, within = '12h' }: JobOptions): Dependency | undefined {
  if (after === undefined) return undefined
  const jobs = [...new Set(after.jobs)]
  if (jobs.length === 0) throw new InvalidOption({ option: 'after', rule: `job "${name}" must name other jobs` })
  if (!Number.isInteger(after.count) || after.count < 1 || after.count > jobs.length)
    throw new InvalidOption({ option: 'after', rule: `from 1 to ${jobs.length} of its jobs`, value: after.count })
  return { kind: after.kind, jobs, count: after.count, withinMs: parseDuration(within) }
}
