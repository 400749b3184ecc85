import { errorMessage, parseDuration } from '@lockstep/base'

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/
const EPOCH_MS = /^\d{1,15}$/
/** Dates of the store reach farther; nothing was ever started before or after these. */
const LATEST_MS = Date.UTC(9999, 11, 31)

/** Epoch milliseconds of `2026-03-29T01:00:00Z`, `2026-03-29`, a number of milliseconds, or `-2h`, which is two hours ago. Else why not. */
export function readInstant(text: string, now: number): number | { readonly fault: string } {
  if (text.startsWith('-')) {
    try {
      return Math.max(0, now - parseDuration(text.slice(1)))
    } catch (error) {
      return { fault: errorMessage(error) }
    }
  }
  const at = EPOCH_MS.test(text) ? Number(text) : ISO.test(text) ? Date.parse(text) : Number.NaN
  if (at >= 0 && at <= LATEST_MS && isRealDay(text)) return at
  return { fault: 'write an instant as 2026-03-29T01:00:00Z, a day as 2026-03-29, or a time ago as -2h' }
}

/** `Date` takes 30 February for 2 March. */
function isRealDay(text: string): boolean {
  if (!ISO.test(text)) return true
  const day = text.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
