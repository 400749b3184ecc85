/** Refused before anything of the request was done: repeating it is safe, whatever it asks for. */
const AT_THE_DOOR = new Set(['TOO_MANY_REQUESTS', 'RATE_LIMITED', 'OVERLOADED', 'SHUTTING_DOWN', 'NODE_STARTING'])
const FIRST_MS = 500
const LONGEST_MS = 30_000

export interface Refused {
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | null
}

/** How long to wait before the request is sent again; `undefined`: it is not. `repeatable`: sending it twice does what sending it once does. */
export function waitBeforeRetry(
  { status, code, retryAfter }: Refused,
  attempt: number,
  repeatable: boolean,
): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  if (!repeatable && !(code !== undefined && AT_THE_DOOR.has(code))) return undefined
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  const ms = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : FIRST_MS * 2 ** attempt
  return Math.min(ms, LONGEST_MS)
}
