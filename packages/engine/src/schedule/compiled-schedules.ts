import type { ScheduleRow } from '../store/schedule-store.ts'
import { checkFields } from './check-fields.ts'
import { ScheduleInvalid } from './errors.ts'
import { resolveSchedule } from './resolve-schedule.ts'
import type { StoredDocument } from './run-input.ts'
import type { Schedule, ScheduleDocument } from './schedule.ts'
import { zoneOffsets } from './zone-offsets.ts'

export type CompiledRow = Pick<ScheduleRow, 'id' | 'document' | 'paused'>

/**
 * Compiling costs more than deciding. Kept by what it was compiled from, not by revision: many changes leave the times as they are. The
 * oldest are let go first.
 */
export class CompiledSchedules {
  readonly #limit: number
  readonly #compiled = new Map<string, Schedule>()

  constructor(limit = 20_000) {
    this.#limit = limit
  }

  /** `undefined`: it has no trigger. Throws `SCHEDULE_INVALID` when this node cannot read what another wrote, such as a newer zone. */
  get(row: CompiledRow): Schedule | undefined {
    const { trigger, misfire, graceMs, overlap, dst, jitterMs, calendars, startAt, endAt } =
      row.document as StoredDocument
    if (trigger === undefined) return undefined
    const parts = [row.id, row.paused, trigger, misfire, graceMs, overlap, dst, jitterMs, calendars, startAt, endAt]
    const key = JSON.stringify(parts)
    const present = this.#compiled.get(key)
    if (present !== undefined) return present
    const made = compileRow(row)
    this.#compiled.set(key, made)
    if (this.#compiled.size > this.#limit) this.#compiled.delete(this.#compiled.keys().next().value!)
    return made
  }
}

/** It was checked when it was saved, at a cost that firing ten thousand at once cannot pay again; only zones are asked for, of which this node may know fewer. */
export function compileRow({ document, paused }: Pick<CompiledRow, 'document' | 'paused'>): Schedule {
  const { dependency: _, version: __, ...own } = document as StoredDocument
  const asked = { ...(own as ScheduleDocument), paused }
  if (asked.trigger.zone !== undefined && zoneOffsets(asked.trigger.zone) === undefined)
    throw new ScheduleInvalid({ scheduleId: own.id, problems: checkFields(asked) })
  return resolveSchedule(asked)
}
