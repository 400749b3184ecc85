/**
 * What a browser's field for date and time shows of a moment, and back. The field knows no zone: it shows the wall clock of the browser's own, and what is
 * written is RFC 3339 with the offset that holds there and then. Pure; `offsetAt` tells minutes east of UTC.
 */
export type OffsetAt = (ms: number) => number

const MINUTE = 60_000
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i
const LOCAL = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2})?(\.\d+)?$/

/** `undefined`: it is no moment that the field could show. */
export function toLocal(value: string, offsetAt: OffsetAt): string | undefined {
  const ms = WITH_ZONE.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return undefined
  const text = new Date(ms + offsetAt(ms) * MINUTE).toISOString()
  return text.slice(17, 19) === '00' ? text.slice(0, 16) : text.slice(0, 19)
}

/** `undefined`: it is not whole yet. */
export function fromLocal(local: string, offsetAt: OffsetAt): string | undefined {
  const [, minutes, seconds = ':00'] = LOCAL.exec(local) ?? []
  if (minutes === undefined) return undefined
  const clock = Date.parse(`${minutes}${seconds}Z`)
  if (Number.isNaN(clock)) return undefined
  // Twice: near a change of the clocks the first offset is of the other side of it.
  const offset = offsetAt(clock - offsetAt(clock - offsetAt(clock) * MINUTE) * MINUTE)
  return `${minutes}${seconds}${offsetText(offset)}`
}

/** `Z`, or `+01:00`. */
export function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
