import { isFilterParameter, parseFilter } from '@lockstep/api/filter'

export const statuses = [
  'queued',
  'running',
  'suspended',
  'paused',
  'compensating',
  'completed',
  'faulted',
  'cancelled',
  'terminated',
  'quarantined',
] as const

const SIGNS: Readonly<Record<string, string>> = { gte: '≥', gt: '>', lte: '≤', lt: '<' }
type Search = Readonly<Record<string, string | undefined>>

/** Parameters of the address, or what is wrong with what was typed. The same words as in the API and on the command line. */
export function readTerms(
  text: string,
): { readonly parameters: Readonly<Record<string, string>> } | { readonly fault: string } {
  const parsed = parseFilter(text)
  return 'fault' in parsed ? { fault: `${parsed.fault.term}: ${parsed.fault.rule}` } : parsed
}

/** What of the address filters the list, in the order it stands there. */
export function termsOf(search: Search): readonly (readonly [string, string])[] {
  return Object.entries(search).filter((pair): pair is [string, string] => isFilterParameter(pair[0]) && !!pair[1])
}

/** How a chip reads. */
export function termText([name, value]: readonly [string, string]): string {
  const match = /^(\w+)\[(\w+)\]$/.exec(name)
  if (match === null) return `${name}: ${value}`
  return `${match[1]} ${SIGNS[match[2] ?? ''] ?? match[2]} ${value.replace(/^-(.*)$/, '$1 ago')}`
}

/** What may be typed next. */
export function suggestions(text: string, definitionIds: readonly string[]): readonly string[] {
  const match = /^(\w+)=(.*)$/.exec(text)
  if (match === null) {
    const ready = ['status=', 'definition=', 'correlation=', 'createdAt>=-1h', 'createdAt>=-1d', 'finishedAt>=-1h']
    return [...ready, 'startedAt>=-1h', 'tag=', 'version=', 'parent=', 'input.'].filter((each) => each.startsWith(text))
  }
  const [, name, given = ''] = match
  const values = name === 'status' ? statuses : name === 'definition' ? definitionIds : []
  const done = given.includes(',') ? `${given.slice(0, given.lastIndexOf(',') + 1)}` : ''
  const last = given.slice(done.length)
  return values.filter((each) => each.startsWith(last)).map((each) => `${name}=${done}${each}`)
}
