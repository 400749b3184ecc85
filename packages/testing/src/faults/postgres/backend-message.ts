import { text } from './frontend-message.ts'

/** `INSERT 0 1` of a CommandComplete. */
export function readCommandTag(message: Buffer): string {
  return text(message, 5).value
}

/** The SQLSTATE of an ErrorResponse: fields of one letter and a string, ended by a zero. */
export function readSqlState(message: Buffer): string {
  let at = 5
  while (at < message.length && message[at] !== 0) {
    const field = text(message, at + 1)
    if (message[at] === 0x43) return field.value
    at = field.end
  }
  return ''
}
