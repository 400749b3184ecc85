import type { Json } from '@lockstep/base'

/** `1.02:03:04.5`: days, hours, minutes, seconds. */
const TIME_SPAN = /^(?:(\d+)\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,7}))?)?$/

/** A .NET time span as a duration of ours; anything else as it is. */
export function toDuration(value: Json): Json {
  const match = typeof value === 'string' ? TIME_SPAN.exec(value.trim()) : null
  if (match === null) return value
  const [days, hours, minutes, seconds] = match.slice(1, 5).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  const ms = Math.round(Number(`0.${match[5] ?? '0'}`) * 1_000)
  return `${((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1_000 + ms}ms`
}
