import { LARGEST_UNITS } from '@lockstep/base'

/** `2d 3h`, `40s`, `120ms`. */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`
  const at = LARGEST_UNITS.findIndex(([, unit]) => ms >= unit)
  const [name, unit] = LARGEST_UNITS[at]!
  const count = Math.floor(ms / unit)
  const next = LARGEST_UNITS[at + 1]
  const rest = next === undefined ? 0 : Math.floor((ms - count * unit) / next[1])
  return rest === 0 ? `${count}${name}` : `${count}${name} ${rest}${next![0]}`
}

/** `3m ago`, `in 2h`, or nothing. */
export function agoText(at: string | null | undefined, now: number): string {
  if (at === null || at === undefined) return ''
  const ms = now - Date.parse(at)
  if (Number.isNaN(ms)) return at
  return ms >= 0 ? `${spanText(ms)} ago` : `in ${spanText(-ms)}`
}
