import { errorMessage, parseDuration } from '@lockstep/base'
import { InvalidRequest } from '../problem/request-errors.ts'

/** Proxies between us and the caller give up not much later. */
export const LONGEST_WAIT_MS = 60_000

/** Milliseconds of `wait`, a duration or a number of milliseconds; 0 when there is none. */
export function waitMs(wait: string | number | undefined, where: 'body' | 'query'): number {
  if (wait === undefined) return 0
  const ms = durationMs(wait, 'wait', where)
  if (ms > LONGEST_WAIT_MS) throw invalid('wait', where, `"wait" may be 60s at most: ask again when it is over`)
  return ms
}

/** A query has only text: plain digits there are milliseconds too. */
export function durationMs(value: string | number, field: string, where: 'body' | 'query'): number {
  try {
    return parseDuration(where === 'query' && /^\d{1,15}$/.test(String(value)) ? Number(value) : value)
  } catch (error) {
    throw invalid(field, where, `"${field}": ${errorMessage(error)}`)
  }
}

const invalid = (field: string, where: 'body' | 'query', text: string) =>
  new InvalidRequest({ errors: [{ in: where, field: where === 'body' ? `/${field}` : field, text }] })
