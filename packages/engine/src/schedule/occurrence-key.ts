import { nextFire } from './next-occurrence.ts'
import type { Schedule } from './schedule.ts'

/** Names an occurrence for good: by its nominal instant, so two nodes, a retry and a backfill all mean the same one. */
export const occurrenceKey = (scheduleId: string, at: number): string => `${scheduleId}@${new Date(at).toISOString()}`

/** When an occurrence really fires: up to `jitterMs` after `at`, always before the next one, on every node the same. */
export function jitteredAt(schedule: Schedule, at: number): number {
  if (schedule.jitterMs === 0) return at
  const next = nextFire(schedule, at) ?? Infinity
  const room = Math.min(schedule.jitterMs, next - at - 1)
  return at + Math.floor((hash(occurrenceKey(schedule.id, at)) / 2 ** 32) * (room + 1))
}

/** FNV-1a with a final mix: neighbouring keys differ in their last characters only and must spread all the same. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
