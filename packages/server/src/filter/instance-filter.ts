import { tryFromWireId } from '@lockstep/base'
import { isTag } from '@lockstep/engine'
import type { InstanceFilter, TimeRange } from '@lockstep/engine/ports'
import Type, { type TProperties } from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'
import { DEFINITION_ID } from '../request/ids.ts'
import { INSTANCE_STATUSES, type InstanceStatus } from '../wire/instance-status.ts'
import { readInstant } from './instant.ts'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }))

const times = (name: string, what: string): TProperties =>
  Object.fromEntries(
    (['gte', 'gt', 'lte', 'lt'] as const).map((operator) => [
      `${name}[${operator}]`,
      text(`${what} ${operator}: an instant, a day, or a time ago such as -2h.`),
    ]),
  )

const INPUT_MEMBER = '^input\\.[\\w-]{1,100}(\\.[\\w-]{1,100}){0,9}$'
const inputMember = new RegExp(INPUT_MEMBER)

export const SearchText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description }))
export const Tags = text('One or more tags, with commas: those that have any of them.')

export const instanceFilterParameters = {
  status: text(`One or more, with commas: ${INSTANCE_STATUSES.join(', ')}.`),
  definition: text('Ids of workflows, with commas.'),
  definitionId: text('The same as definition. Give one of the two.'),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  correlation: text('Correlation id.'),
  parent: text('Instance that started it.'),
  tag: text('One or more tags, with commas: instances of workflows that have any of them.'),
  q: SearchText('An id or correlation id, or what it begins with; or a part of the id or name of the workflow.'),
  ...times('createdAt', 'Start'),
  ...times('startedAt', 'The same, of those that are no longer queued:'),
  ...times('finishedAt', 'End'),
}

/** `input.customerId=42`: a member of the input that must be this text, number or boolean. */
export const inputParameters = { [INPUT_MEMBER]: Type.String({ maxLength: 2_000 }) }

/** Those that mean any of several; of the others a comma is part of the value. */
export const SEVERAL: ReadonlySet<string> = new Set(['status', 'definition', 'definitionId', 'tag'])

const MOST_INPUTS = 10

/** The filter that checked query parameters say. */
export function readInstanceFilter(query: Readonly<Record<string, unknown>>, now: number): InstanceFilter {
  const said = (name: string): string | undefined => query[name] as string | undefined
  const inputs = Object.keys(query).filter((name) => inputMember.test(name))
  if (inputs.length > MOST_INPUTS) throw fault('input', `at most ${MOST_INPUTS} members of the input at once`)
  return {
    statuses: said('status') && statusesOf(said('status')!),
    definitionIds: definitionsOf(said('definition'), said('definitionId')),
    version: query.version as number | undefined,
    correlationId: said('correlation'),
    parentId: parentOf(said('parent')),
    tags: tagsOf(said('tag')),
    text: textOf(said('q')),
    created: rangeOf(said, 'createdAt', now),
    started: rangeOf(said, 'startedAt', now),
    finished: rangeOf(said, 'finishedAt', now),
    input: inputs.map((name) => ({ path: name.split('.').slice(1), value: said(name)! })),
  } as InstanceFilter
}

function statusesOf(value: string): readonly InstanceStatus[] {
  return value.split(',').map((each) => {
    const found = INSTANCE_STATUSES.find((status) => status === each.trim())
    if (found === undefined) throw fault('status', `must be one or more of ${INSTANCE_STATUSES.join(', ')}`)
    return found
  })
}

export function tagsOf(value: string | undefined): readonly string[] | undefined {
  const tags = value?.split(',').map((each) => each.trim())
  if (tags?.every(isTag) === false)
    throw fault('tag', 'must be tags of workflows, such as eu or eu,us: letters, digits and - _ . : /')
  return tags
}

/** Of a text that stands in a body nobody has checked the length yet. */
function textOf(value: string | undefined): string | undefined {
  const text = value?.trim()
  if (text !== undefined && (text === '' || text.length > 200)) throw fault('q', 'must be text of 1 to 200 characters')
  return text
}

const definitionId = new RegExp(DEFINITION_ID)

function definitionsOf(value: string | undefined, same: string | undefined): readonly string[] | undefined {
  if (value !== undefined && same !== undefined)
    throw fault('definitionId', 'is the same as "definition": give one of the two')
  const field = value === undefined ? 'definitionId' : 'definition'
  const ids = (value ?? same)?.split(',').map((each) => each.trim())
  if (ids?.some((id) => !definitionId.test(id)))
    throw fault(field, 'must be ids of workflows, such as order or order,invoice')
  return ids
}

function parentOf(value: string | undefined): string | undefined {
  const id = value === undefined ? undefined : tryFromWireId('instance', value)
  if (value !== undefined && id === undefined) throw fault('parent', 'must be the id of an instance: wfi_ and a uuid')
  return id
}

function rangeOf(said: (name: string) => string | undefined, name: string, now: number): TimeRange | undefined {
  const at = (operator: string, more: number): number | undefined => {
    const value = said(`${name}[${operator}]`)
    if (value === undefined) return undefined
    const instant = readInstant(value, now)
    if (typeof instant !== 'number') throw fault(`${name}[${operator}]`, `: ${instant.fault}`)
    return instant + more
  }
  const from = largest(at('gte', 0), at('gt', 1))
  const until = smallest(at('lt', 0), at('lte', 1))
  return from === undefined && until === undefined ? undefined : { from, until }
}

const largest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
const smallest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const fault = (field: string, rule: string) =>
  new InvalidRequest({ errors: [{ in: 'query', field, text: `"${field}" ${rule}`.replace('" :', '":') }] })
