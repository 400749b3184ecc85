import type { Json } from '@lockstep/base'
import type { Dependency } from '../job/dependency.ts'
import { factToRow } from '../journal/fact.ts'
import type { ScheduleRow } from '../store/schedule-store.ts'
import type { ScheduleDocument } from './schedule.ts'

/** What a job's function is given. */
export interface JobRun<Input = unknown> {
  /** Names the run, the same on every attempt and node. */
  readonly key: string
  /** The nominal instant, as ISO 8601. */
  readonly scheduledAt: string
  readonly input: Input
}

/** What is kept of a schedule, besides what has a column of its own. A job that runs only after others has no trigger. */
export type StoredDocument = Omit<ScheduleDocument, 'trigger' | 'definitionId' | 'job'> & {
  readonly trigger?: ScheduleDocument['trigger']
  readonly definitionId?: string
  readonly job?: string
  readonly dependency?: Dependency
  /** Of the job's code that wrote it. */
  readonly version?: number
}

/** Workflows get the input of the schedule as it is; without one they get the occurrence. */
export function inputOf(
  row: Pick<ScheduleRow, 'id' | 'document'>,
  run: { readonly key: string; readonly at: number; readonly input?: Json },
): Json {
  const document = row.document as StoredDocument
  const occurrence = { key: run.key, scheduledAt: new Date(run.at).toISOString() }
  const given = run.input ?? document.input
  if (document.job !== undefined) return { ...occurrence, input: given ?? null }
  return given ?? { scheduleId: row.id, ...occurrence }
}

/** The first fact of a run's instance, as JSON text. */
export const startedBy = ({ activity }: Pick<ScheduleRow, 'activity'>, input: Json): string =>
  factToRow({ kind: 'started', input, ...(activity === undefined ? {} : { trigger: activity }) }).data
