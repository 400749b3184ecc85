import { defineError } from './define-error.ts'

export const InvalidOption = defineError(
  'INVALID_OPTION',
  { retryable: false },
  (d: { option: string; rule: string; value?: unknown }) =>
    `Option "${d.option}" must be ${d.rule}${d.value === undefined ? '' : `, not ${JSON.stringify(d.value)}`}`,
)

export const InvalidDuration = defineError(
  'INVALID_DURATION',
  { retryable: false },
  (d: { value: string; reason: string }) =>
    `"${d.value}" is not a duration: ${d.reason}. Write 500ms, 30s, 5m, 2h, 7d or ISO 8601 such as PT15M`,
)

export const InvalidId = defineError(
  'INVALID_ID',
  { retryable: false },
  (d: { value: string; prefix: string }) =>
    `"${d.value}" is not a ${d.prefix}_ id: expected ${d.prefix}_ followed by a uuid`,
)

export const NotJson = defineError(
  'NOT_JSON',
  { retryable: false },
  (d: { pointer: string; found: string }) =>
    `Value at "${d.pointer || '/'}" is ${d.found}, which JSON cannot hold: pass plain data`,
)

export const TimedOut = defineError(
  'TIMED_OUT',
  { retryable: true },
  (d: { what: string; afterMs: number }) => `${d.what} took longer than ${d.afterMs} ms`,
)

export const Cancelled = defineError(
  'CANCELLED',
  { retryable: false },
  (d: { what: string }) => `${d.what} was cancelled`,
)
