import { InvalidOption, isJsonObject, parseDuration } from '@lockstep/base'

export type KeepOption = Readonly<Record<string, string | number>>

const STATUSES: readonly string[] = [
  'completed',
  'faulted',
  'cancelled',
  'terminated',
  'unresolved',
  'metrics',
  'audit',
  'dead-letters',
]
const FORM = 'such as completed=30d,faulted=90d,cancelled=forever'

/** The store refuses to delete younger entries of the audit log. */
const LEAST_MS: Readonly<Record<string, number>> = { audit: 30 * 86_400_000 }

/** How long ended instances stay, what nodes counted, the audit log and dead letters: `completed=30d,metrics=90d`, or an object of the same. What is left out keeps its default. */
export function retentionOf(given: string | KeepOption | undefined): KeepOption {
  if (given === undefined || given === '') return {}
  const pairs = typeof given === 'string' ? given.split(',').map(pairOf) : entriesOf(given)
  const keep: Record<string, string | number> = {}
  for (const [status, time] of pairs) {
    if (!STATUSES.includes(status)) throw refused(`statuses among ${STATUSES.join(', ')}, ${FORM}`, status)
    if (Object.hasOwn(keep, status)) throw refused('each status once', status)
    keep[status] = checkedTime(status, time)
  }
  return keep
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 0) throw refused(`pairs of a status and a time, ${FORM}`, text)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function entriesOf(given: unknown): [string, string | number][] {
  if (!isJsonObject(given)) throw refused(`pairs of a status and a time, ${FORM}`, typeof given)
  return Object.entries(given) as [string, string | number][]
}

function checkedTime(status: string, time: string | number): string | number {
  if (time === 'forever') return time
  try {
    if (parseDuration(time) >= (LEAST_MS[status] ?? 0)) return time
  } catch (cause) {
    throw new InvalidOption(
      { option: `retention ${status}`, rule: 'a duration such as 30d, or forever', value: String(time) },
      { cause },
    )
  }
  throw new InvalidOption({ option: `retention ${status}`, rule: 'at least 30d, or forever', value: String(time) })
}

const refused = (rule: string, value: string) => new InvalidOption({ option: 'retention', rule, value })
