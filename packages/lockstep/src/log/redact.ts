import type { LogFields } from '@lockstep/base'

/** Names under which nothing is shown. Whole words: `tokens` and `keyCount` are no secrets. */
const SECRET =
  /(^|[-_.]|[a-z](?=[A-Z]))(password|passphrase|secret|token|authorization|cookie|credentials?|api[-_]?key|apiKey|private[-_]?key|privateKey)$/i
/** `postgres://user:password@host`. It begins where no match can begin twice: what is logged may be as long as an input. */
const IN_URL = /(:\/\/[^\s/:@]*):[^\s/@]+@/g
const BEARER = /\b(Bearer|Basic) +[\w.~+/=-]{8,}/g
const HIDDEN = '[withheld]'
/** Log lines are flat; what is deeper is not looked at by anybody. */
const DEEPEST = 4

/** What may stand in a log: nothing under a name of a secret, no password in a URL, no bearer. */
export function redact(fields: LogFields): LogFields {
  return redactMembers(fields, DEEPEST)
}

export const redactText = (text: string): string =>
  text.replaceAll(IN_URL, `$1:${HIDDEN}@`).replaceAll(BEARER, `$1 ${HIDDEN}`)

function redactMembers(fields: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      SECRET.test(name) && value !== undefined && value !== null ? HIDDEN : redactValue(value, depth),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return { name: value.name, message: redactText(value.message) }
  if (depth === 0) return '…'
  if (Array.isArray(value)) return value.map((each) => redactValue(each, depth - 1))
  return redactMembers(value as Record<string, unknown>, depth - 1)
}
