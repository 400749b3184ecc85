/**
 * The one grammar of filters. On the wire a filter is query parameters (`status=faulted,suspended&createdAt[gte]=-1h`); people write
 * the same as one text (`status=faulted,suspended createdAt>=-1h`), with `&` or blanks between terms and quotes around values
 * that have any. Imports nothing: it runs in browsers too.
 */

const TIMES: readonly string[] = ['createdAt', 'startedAt', 'finishedAt']

/** What may stand before the operator in a filter of instances; a name that ends with a dot begins many. */
const NAMES: readonly string[] = [
  ...['status', 'definition', 'version', 'correlation', 'parent', 'tag', 'q'],
  ...[...TIMES, 'input.'],
]

/** Those that mean any of several values. */
const SEVERAL: readonly string[] = ['status', 'definition', 'tag']

export type ParsedFilter =
  /** Query parameters, by name. */
  | { readonly parameters: Readonly<Record<string, string>> }
  | { readonly fault: { readonly term: string; readonly rule: string } }

const TERM = /^([A-Za-z][\w.-]*)(?:\[(\w+)\])?(>=|<=|>|<|=|:\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s&"']*)(?=[\s&]|$)/
const OPERATORS: Readonly<Record<string, string>> = { '>=': 'gte', '>': 'gt', '<=': 'lte', '<': 'lt' }

export function parseFilter(text: string): ParsedFilter {
  const parameters: Record<string, string> = {}
  let rest = text.trim()
  while (rest !== '') {
    const match = TERM.exec(rest)
    const term = rest.split(/[\s&]/, 1)[0]!.slice(0, 80)
    if (match === null)
      return { fault: { term, rule: 'write name=value, or name>=value for times, with blanks between' } }
    const [whole, name = '', bracket, sign = '=', value = ''] = match
    const operator = bracket ?? OPERATORS[sign]
    const parameter = operator === undefined ? name : `${name}[${operator}]`
    const rule =
      faultOf(name, bracket, sign) ??
      (Object.hasOwn(parameters, parameter)
        ? `${parameter} stands there twice: ${SEVERAL.includes(name) ? `write ${name}=a,b for either` : 'it takes one value'}`
        : undefined)
    if (rule !== undefined) return { fault: { term, rule } }
    parameters[parameter] = unquoted(value)
    rest = rest.slice(whole.length).replace(/^[\s&]+/, '')
  }
  return { parameters }
}

function faultOf(name: string, bracket: string | undefined, sign: string): string | undefined {
  if (!isKnown(name)) return `use ${NAMES.map((each) => (each.endsWith('.') ? `${each}<name>` : each)).join(', ')}`
  if (bracket !== undefined && OPERATORS[sign] !== undefined)
    return `write ${name}[${bracket}]=… or ${name}${sign}…, not both`
  const operator = bracket ?? OPERATORS[sign]
  if (TIMES.includes(name))
    return Object.values(OPERATORS).includes(operator ?? '')
      ? undefined
      : `write ${name}>=-1h, or ${name}<2026-03-29: a time is before or after another`
  return operator === undefined ? undefined : `write ${name}=…: only ${TIMES.join(', ')} are before or after`
}

/** Whether a filter of instances has such a query parameter. */
export function isFilterParameter(parameter: string): boolean {
  const match = /^([\w.-]+?)(?:\[(\w+)\])?$/.exec(parameter)
  return match !== null && faultOf(match[1]!, match[2], '=') === undefined
}

const isKnown = (name: string): boolean =>
  NAMES.some((each) => (each.endsWith('.') ? name.startsWith(each) && name.length > each.length : name === each))

function unquoted(value: string): string {
  if (value.startsWith("'")) return value.slice(1, -1)
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value
}
