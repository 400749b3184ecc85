import { suggestion } from '@lockstep/engine'
import type { InstanceFilter } from '@lockstep/engine/ports'
import Type from 'typebox'
import { InvalidRequest, type RequestFault } from '../problem/request-errors.ts'
import { inputParameters, instanceFilterParameters, readInstanceFilter, SEVERAL } from './instance-filter.ts'

/** A filter that stands in a body: the parameters of lists, as members. */
export const FilterBody = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'As in lists of instances: status, definition, version, correlation, parent, tag, q, createdAt[gte], startedAt[gte], finishedAt[lt], input.customerId and so on. Values are text, numbers and booleans; of status, definition and tag lists of them too, which mean any of these.',
})

const NAMES = Object.keys(instanceFilterParameters)
const INPUT = new RegExp(Object.keys(inputParameters)[0]!)
const MOST_TEXT = 2_000

/** `pointer`: where it stands in the body. Times such as `-2h` count from `now`. */
export function readFilterBody(
  filter: Readonly<Record<string, unknown>>,
  now: number,
  pointer: string,
): InstanceFilter {
  const fault = (name: string, text: string): RequestFault => ({
    in: 'body',
    field: `${pointer}/${escaped(name)}`,
    text,
  })
  const errors: RequestFault[] = []
  const said: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(filter)) {
    const text = textOf(value)
    if (!NAMES.includes(name) && !INPUT.test(name))
      errors.push(
        fault(
          name,
          `"${name.slice(0, 80)}" cannot be filtered by: use ${NAMES.join(', ')}, input.<name>${suggestion(name, NAMES)}`,
        ),
      )
    else if (Array.isArray(value) && value.length > 1 && !SEVERAL.has(name))
      errors.push(fault(name, `"${name}" takes one value, not a list of ${value.length}`))
    else if (text === undefined || text === '' || text.length > MOST_TEXT)
      errors.push(
        fault(
          name,
          `"${name}" must be text of 1 to ${MOST_TEXT} characters, a number or a boolean${SEVERAL.has(name) ? ', or a list of them' : ''}`,
        ),
      )
    else if (name !== 'version') said[name] = text
    else if (/^[1-9]\d{0,8}$/.test(text)) said.version = Number(text)
    else errors.push(fault(name, '"version" must be an integer from 1 on'))
  }
  if (errors.length > 0) throw new InvalidRequest({ errors })
  try {
    return readInstanceFilter(said, now)
  } catch (error) {
    if (!InvalidRequest.is(error)) throw error
    throw new InvalidRequest(
      { errors: error.details.errors.map(({ field, text }) => fault(field, text)) },
      { cause: error },
    )
  }
}

/** Lists as addresses have them: with commas. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.map((each) => (Array.isArray(each) ? undefined : textOf(each)))
    return parts.every((each) => each !== undefined) ? parts.join(',') : undefined
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

const escaped = (name: string): string => name.slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1')
