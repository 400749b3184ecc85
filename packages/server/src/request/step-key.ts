import { parseDuration } from '@lockstep/base'
import { InvalidRequest } from '../problem/request-errors.ts'

const LONGEST_KEY = 200
/** Longer spans are mistakes, and the longest of them are beyond what the store can add to a date. */
const LONGEST_MS = 366 * 86_400_000

/** Keys of limits and breakers, in cursors. */
export const STEP_KEY = /^[^\0\p{Cs}]{1,200}$/su

/** Whether steps can have a key like this one. */
export const isStepKey = (text: string): boolean => text.length <= LONGEST_KEY && STEP_KEY.test(text)

/** The key as it stands in a path, of something that may be made by naming it. */
export function stepKeyOf(text: string): string {
  if (isStepKey(text)) return text
  const fault = `A key has 1 to ${LONGEST_KEY} characters, and no zero among them`
  throw new InvalidRequest({ errors: [{ in: 'path', field: 'id', text: fault }] })
}

/** Throws INVALID_DURATION for what is none, and names the field for what is too short or too long. */
export function checkSpan(field: string, span: string | number): void {
  const ms = parseDuration(span)
  if (ms >= 1 && ms <= LONGEST_MS) return
  const text = `"${field.slice(1)}" must be a duration from 1ms to 366d`
  throw new InvalidRequest({ errors: [{ in: 'body', field, text }] })
}
