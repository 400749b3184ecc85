import { LARGEST_UNITS } from './duration-units.ts'

/** As people write it, and as `parseDuration` reads it: `1m`, `90s`, `1500ms`. Nothing is rounded away. */
export function shortDuration(ms: number): string {
  const whole = LARGEST_UNITS.find(([, unitMs]) => ms >= unitMs && ms % unitMs === 0)
  return whole === undefined ? `${ms}ms` : `${ms / whole[1]}${whole[0]}`
}
