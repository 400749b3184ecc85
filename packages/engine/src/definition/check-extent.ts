/**
 * Looks only at how much there is, before anything is validated: a validator that lists every mistake needs the square
 * of their number, and half a megabyte of mistakes would keep a node busy for minutes. Without recursion.
 */
import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { MAX_ACTIVITIES } from '../graph/checks/check-flow.ts'
import { graphDocumentSchema } from '../graph/document-schema.ts'
import { type GraphProblem, problem } from '../graph/graph-problem.ts'
import { pointerTo } from '../graph/json-pointer.ts'

const MOST_CONNECTIONS = 20_000
const MOST_VARIABLES = 1_000
const MOST_INPUTS = 50_000
/** Nested graphs, and codes in `nonRetryable`. */
const MOST_ITEMS = 10_000
/** A few are mistakes worth naming one by one. */
const MOST_UNKNOWN = 100

interface Extent {
  activities: number
  connections: number
  variables: number
  inputs: number
  items: number
  unknown: number
}

export function checkExtent(document: Json): GraphProblem | undefined {
  const extent: Extent = { activities: 0, connections: 0, variables: 0, inputs: 0, items: 0, unknown: 0 }
  if (isJsonObject(document)) {
    extent.unknown += unknownNames(document, DOCUMENT)
    extent.variables += isJsonObject(document.variables) ? Object.keys(document.variables).length : 0
  }
  const open: { readonly graph: Json | undefined; readonly pointer: string }[] = [{ graph: document, pointer: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isJsonObject(next.graph)) continue
    const { activities, connections } = next.graph
    if (Array.isArray(connections)) extent.connections += connections.length
    if (Array.isArray(activities)) extent.activities += activities.length
    const excess = excessOf(extent, next.pointer)
    if (excess !== undefined) return excess
    for (const connection of listOf(connections))
      if (isJsonObject(connection)) extent.unknown += unknownNames(connection, CONNECTION)
    for (const [position, activity] of listOf(activities).entries()) {
      if (!isJsonObject(activity)) continue
      extent.unknown += unknownNames(activity, ACTIVITY)
      extent.inputs += isJsonObject(activity.inputs) ? Object.keys(activity.inputs).length : 0
      const { body, branches, catch: caught, finally: last, retry } = activity
      extent.items += listOf(branches).length + (isJsonObject(retry) ? listOf(retry.nonRetryable).length : 0)
      const pointer = pointerTo(next.pointer, 'activities', position)
      if (extent.items > MOST_ITEMS) return excessOf(extent, pointer)
      for (const graph of [body, caught, last, ...listOf(branches)]) open.push({ graph, pointer })
    }
  }
  return excessOf(extent, '')
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

type Schema = { readonly properties: JsonObject }
const definitions = graphDocumentSchema.$defs as unknown as Readonly<Record<'activity' | 'connection', Schema>>
const namesOf = ({ properties }: Schema): ReadonlySet<string> => new Set(Object.keys(properties))
const DOCUMENT = namesOf(graphDocumentSchema as unknown as Schema)
const ACTIVITY = namesOf(definitions.activity)
const CONNECTION = namesOf(definitions.connection)

function unknownNames(value: JsonObject, known: ReadonlySet<string>): number {
  let count = 0
  for (const name of Object.keys(value)) if (!known.has(name) && !name.startsWith('x-')) count += 1
  return count
}

function excessOf(
  { activities, connections, variables, inputs, items, unknown }: Extent,
  pointer: string,
): GraphProblem | undefined {
  if (activities > MAX_ACTIVITIES)
    return problem(
      pointerTo(pointer, 'activities'),
      'TOO_MANY_ACTIVITIES',
      `The document has more than ${MAX_ACTIVITIES} activities: move parts into workflows of their own`,
    )
  if (connections > MOST_CONNECTIONS)
    return problem(
      pointerTo(pointer, 'connections'),
      'OUT_OF_RANGE',
      `The document has more than ${MOST_CONNECTIONS} connections: move parts into workflows of their own`,
    )
  if (variables > MOST_VARIABLES)
    return problem(
      '/variables',
      'OUT_OF_RANGE',
      `The document has more than ${MOST_VARIABLES} variables: keep them in one of type object`,
    )
  if (inputs > MOST_INPUTS)
    return problem(
      pointer,
      'OUT_OF_RANGE',
      `The activities have more than ${MOST_INPUTS} inputs in all: move values into one input`,
    )
  if (items > MOST_ITEMS)
    return problem(
      pointer,
      'OUT_OF_RANGE',
      `The activities have more than ${MOST_ITEMS} branches and codes in all: move parts into workflows of their own`,
    )
  if (unknown > MOST_UNKNOWN)
    return problem(
      pointer,
      'UNKNOWN_FIELD',
      `The document has more than ${MOST_UNKNOWN} fields that no document has: is this one?`,
    )
  return undefined
}
