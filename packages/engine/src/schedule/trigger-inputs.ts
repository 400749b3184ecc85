import type { JsonObject } from '@lockstep/base'
import { scheduleSchema } from './schedule-schema.ts'

const schedule = scheduleSchema.properties as JsonObject
const trigger = (schedule.trigger as JsonObject).properties as JsonObject

/** What a schedule says besides its trigger and its target. */
const BESIDE = ['misfire', 'graceMs', 'overlap', 'dst', 'jitterMs', 'calendars', 'startAt', 'endAt', 'input'] as const

/** JSON schema of the inputs of a trigger activity: those fields of a schedule's trigger, and what a schedule says besides. */
export function triggerInputs(required: 'cron' | 'interval', ...optional: readonly string[]): JsonObject {
  const properties: Record<string, JsonObject[string]> = {}
  for (const name of [required, ...optional]) properties[name] = trigger[name]!
  for (const name of BESIDE) if (name !== 'dst' || required === 'cron') properties[name] = schedule[name]!
  return { type: 'object', properties, required: [required], additionalProperties: false }
}
