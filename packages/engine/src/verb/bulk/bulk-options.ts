import { InvalidOption } from '@lockstep/base'
import { suggestion } from '../../graph/nearest-name.ts'

type Rule = readonly [rule: string, fits: (value: unknown) => boolean]

export const LATEST_VERSION = 2_147_483_647
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (most: number): Rule => [
  `text of at most ${most} characters`,
  (value) => typeof value === 'string' && value.length <= most,
]
const flag: Rule = ['true or false', (value) => typeof value === 'boolean']
const version: Rule = [
  'the number of a version',
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LATEST_VERSION,
]
const values: Rule = ['an object', isObject]
const mapping: Rule = [
  'an object of names',
  (value) => isObject(value) && Object.values(value).every((each) => typeof each === 'string'),
]
const name = text(255)

/** What each verb takes, as it does of one instance. A test holds it against what the server describes. */
export const BULK_OPTIONS = {
  cancel: { reason: text(2_000), compensate: flag },
  terminate: { reason: name, children: flag },
  pause: { reason: name },
  continue: {},
  retry: { step: name, variables: values, version, mapping, force: flag, note: name },
  migrate: { version, mapping },
  delete: {},
} satisfies Readonly<Record<string, Readonly<Record<string, Rule>>>>

/** Before anything is listed: an option that nobody knows would be left out of every item, and one that is wrong would fail each of them. */
export function checkBulkOptions(verb: keyof typeof BULK_OPTIONS, options: object): void {
  const known: Readonly<Record<string, Rule>> = BULK_OPTIONS[verb]
  const names = Object.keys(known)
  if (!isObject(options)) throw new InvalidOption({ option: 'options', rule: 'an object', value: options })
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(known, option) ? known[option] : undefined
    if (rule === undefined) throw new InvalidOption({ option: `options.${option}`, rule: oneOf(option, names) })
    if (!rule[1](value)) throw new InvalidOption({ option: `options.${option}`, rule: rule[0], value })
  }
  if (verb === 'migrate' && (options as { version?: unknown }).version === undefined)
    throw new InvalidOption({ option: 'options.version', rule: 'the version to migrate to' })
}

const oneOf = (option: string, names: readonly string[]): string =>
  names.length === 0 ? 'left out: it takes none' : `one of ${names.join(', ')}${suggestion(option, names)}`
