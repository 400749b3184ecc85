import type { Json } from '@lockstep/base'

/** Those that say "later": too early, too many, or a server in trouble. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429])
const LONGEST_WAIT_MS = 86_400_000

export function matchesStatus(status: number, expected: Json | undefined): boolean {
  if (expected === undefined || expected === null) return status >= 200 && status < 300
  return (Array.isArray(expected) ? expected : [expected]).some((each) => {
    const text = String(each)
    return text.endsWith('xx') ? text[0] === String(status)[0] : Number(text) === status
  })
}

export function isWorthRepeating(status: number): boolean {
  return LATER.has(status) || (status >= 500 && status !== 501 && status !== 505)
}

/** `Retry-After` as milliseconds: seconds, or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(LONGEST_WAIT_MS, Math.max(0, ms)) : undefined
}
