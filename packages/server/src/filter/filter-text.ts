/**
 * The one grammar of filters. On the wire a filter is query parameters (`status=faulted,suspended&createdAt[gte]=-1h`); people write
 * the same as one text (`status=faulted,suspended createdAt>=-1h`), with `&` or blanks between terms and quotes around values
 * that have any.
 */
import { defineError } from '@lockstep/base'

export const InvalidFilter = defineError(
  'INVALID_FILTER',
  { retryable: false },
  (d: { term: string; rule: string }) => `Filter "${d.term}" cannot be read: ${d.rule}`,
)

const TERM = /^([A-Za-z][\w.-]*)(?:\[(\w+)\])?(>=|<=|>|<|=)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s&"']*)(?=[\s&]|$)/
const OPERATORS: Readonly<Record<string, string>> = { '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt' }

/** Query parameters, by name. `names`: what may stand before the operator; one that ends with a dot begins many. */
export function readFilterText(text: string, names: readonly string[]): Readonly<Record<string, string>> {
  const terms: Record<string, string> = {}
  let rest = text.trim()
  while (rest !== '') {
    const match = TERM.exec(rest)
    const shown = rest.split(/[\s&]/, 1)[0]!.slice(0, 80)
    if (match === null)
      throw new InvalidFilter({ term: shown, rule: 'write name=value, or name>=value for times, with blanks between' })
    const [whole, name = '', bracket, sign = '=', value = ''] = match
    if (!isKnown(name, names)) throw new InvalidFilter({ term: shown, rule: `use ${names.map(shownName).join(', ')}` })
    if (bracket !== undefined && sign !== '=')
      throw new InvalidFilter({ term: shown, rule: `write ${name}[${bracket}]=… or ${name}${sign}…, not both` })
    const operator = bracket ?? OPERATORS[sign]
    const parameter = operator === undefined ? name : `${name}[${operator}]`
    if (Object.hasOwn(terms, parameter))
      throw new InvalidFilter({ term: shown, rule: `${parameter} stands there twice: write ${name}=a,b for either` })
    terms[parameter] = unquoted(value)
    rest = rest.slice(whole.length).replace(/^[\s&]+/, '')
  }
  return terms
}

const isKnown = (name: string, names: readonly string[]): boolean =>
  names.some((each) => (each.endsWith('.') ? name.startsWith(each) && name.length > each.length : name === each))

const shownName = (name: string): string => (name.endsWith('.') ? `${name}<name>` : name)

function unquoted(value: string): string {
  if (value.startsWith("'")) return value.slice(1, -1)
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
}
