import { hashJson, isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { ScheduleDocument } from './schedule.ts'
import { type ScheduleProblem, whenSaved } from './schedule-problem.ts'
import { validateSchedule } from './validate-schedule.ts'

/** A schedule that a trigger activity of a graph stands for. */
export interface TriggerSchedule {
  readonly activity: string
  readonly document: ScheduleDocument
}

const LONGEST_SLUG = 80
const HASH_LENGTH = 8

/** Inputs of the activity that are fields of the schedule's trigger; the others are the schedule's own. */
const OF_TRIGGER = ['cron', 'interval', 'anchor', 'zone'] as const

/**
 * The schedules that a graph's triggers ask for. An activity of type `cron` or `interval` has the fields of a schedule's trigger as inputs,
 * and may have those of the schedule beside them (`misfire`, `overlap`, `dst`, `jitterMs`, `calendars`, `startAt`, `endAt`, `input`). They are
 * literals: nothing runs yet whose state an expression could read.
 */
export function triggerSchedules(definitionId: string, document: unknown): readonly TriggerSchedule[] {
  if (!isJsonObject(document as Json)) return []
  const { activities } = document as JsonObject
  if (!Array.isArray(activities)) return []
  return activities.flatMap((activity: Json): TriggerSchedule[] => {
    if (!isJsonObject(activity) || typeof activity.id !== 'string') return []
    const { id, type } = activity
    const inputs = activity.inputs ?? {}
    if ((type !== 'cron' && type !== 'interval') || !isJsonObject(inputs)) return []
    return [{ activity: id, document: scheduleOf(definitionId, id, inputs) }]
  })
}

/** What keeps the triggers of a graph from firing, with pointers into its document. For publishing: what is wrong here would only be logged later. */
export function triggerProblems(document: unknown): readonly ScheduleProblem[] {
  const { activities = [] } = document as { readonly activities?: readonly { readonly id?: unknown }[] }
  return triggerSchedules('workflow', document).flatMap(({ activity, document: schedule }) => {
    const index = activities.findIndex(({ id }) => id === activity)
    return validateSchedule(schedule).map((problem) => ({
      ...whenSaved(problem),
      pointer: `/activities/${index}/inputs${problem.pointer.replace(/^\/trigger/, '')}`,
    }))
  })
}

function scheduleOf(definitionId: string, activity: string, inputs: JsonObject): ScheduleDocument {
  const trigger: Record<string, Json> = {}
  const rest: Record<string, Json> = {}
  for (const [name, value] of Object.entries(inputs)) {
    if (value === undefined) continue
    if ((OF_TRIGGER as readonly string[]).includes(name)) trigger[name] = value
    else rest[name] = value
  }
  return { ...rest, id: scheduleIdOf(definitionId, activity), definitionId, trigger } as unknown as ScheduleDocument
}

/** Readable, a slug, and unlike any that a person would choose. */
export function scheduleIdOf(definitionId: string, activity: string): string {
  const slug = `${definitionId}-${activity}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '')
  return `${slug}-${hashJson([definitionId, activity]).slice(0, HASH_LENGTH)}`
}
