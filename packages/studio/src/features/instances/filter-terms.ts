/** The same words as the API and the command line: `status=faulted,suspended createdAt>=-1h input.customerId=42`. */
export const filterNames = [
  'status',
  'definition',
  'version',
  'correlation',
  'parent',
  'createdAt',
  'finishedAt',
  'input.',
] as const

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

const TERM = /^([A-Za-z][\w.-]*)(?:\[(\w+)\])?\s*(>=|<=|>|<|=|:)\s*(.+)$/
const OPERATORS: Readonly<Record<string, string>> = { '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt' }
const SIGNS: Readonly<Record<string, string>> = { gte: '≥', gt: '>', lte: '≤', lt: '<' }
const PARAMETER =
  /^(status|definition|definitionId|version|correlation|parent|input\.[\w.-]+|(?:createdAt|finishedAt)\[(?:gte|gt|lte|lt)\])$/

type Search = Readonly<Record<string, string | undefined>>

/** A parameter of the address, or what is wrong with what was typed. */
export function readTerm(text: string): { readonly name: string; readonly value: string } | { readonly fault: string } {
  const match = TERM.exec(text.trim())
  if (match === null) return { fault: 'Write name=value, such as status=faulted or input.customerId=42' }
  const [, name = '', bracket, sign = '=', value = ''] = match
  const operator = bracket ?? OPERATORS[sign]
  const parameter = operator === undefined ? name : `${name}[${operator}]`
  if (PARAMETER.test(parameter)) return { name: parameter, value: unquoted(value.trim()) }
  if (name === 'createdAt' || name === 'finishedAt') return { fault: `Write ${name}>=-1h or ${name}<2026-03-29` }
  return { fault: `"${name}" is not something to filter by: use ${filterNames.map(shown).join(', ')}` }
}

const shown = (name: string): string => (name.endsWith('.') ? `${name}<name>` : name)

const unquoted = (value: string): string => (/^(".*"|'.*')$/.test(value) ? value.slice(1, -1) : value)

/** What of the address filters the list, in the order it stands there. */
export function termsOf(search: Search): readonly (readonly [string, string])[] {
  return Object.entries(search).filter((pair): pair is [string, string] => PARAMETER.test(pair[0]) && !!pair[1])
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
    return [...ready, 'version=', 'parent=', 'input.'].filter((each) => each.startsWith(text))
  }
  const [, name, given = ''] = match
  const values = name === 'status' ? statuses : name === 'definition' ? definitionIds : []
  const done = given.includes(',') ? `${given.slice(0, given.lastIndexOf(',') + 1)}` : ''
  const last = given.slice(done.length)
  return values.filter((each) => each.startsWith(last)).map((each) => `${name}=${done}${each}`)
}

/** Why all that match cannot be acted upon at once; `undefined`: they can. */
export function bulkFault(search: Search): string | undefined {
  const terms = termsOf(search)
  const other = terms.find(([name]) => /^(input\.|parent$|finishedAt)/.test(name))
  if (other !== undefined) return `All that match cannot be selected while the list is filtered by ${other[0]}`
  if (search.definition?.includes(',') === true) return 'All that match can be selected for one workflow at a time'
  return undefined
}
