/** What can be said of triggers by HTTP and by event, and of answers, in a document before it is published. */
import { isJsonObject, type Json, parseDuration } from '@lockstep/base'
import type { ActivityDocument, GraphDocument } from '../graph/document.ts'
import { type GraphProblem, problem } from '../graph/graph-problem.ts'
import { isExpressionValue } from '../graph/input-template.ts'
import { pointerTo } from '../graph/json-pointer.ts'
import { schemaFault } from '../graph/json-schema.ts'
import { eachActivity } from '../graph-document/each-activity.ts'
import { isReservedHeader } from './answer-headers.ts'
import { endpointOf, LONGEST_WAIT_MS, segmentsOf, shapeOf, splitPath } from './endpoint.ts'

const MOST_SEGMENTS = 20
const PARAMETER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const LITERAL = /^[A-Za-z0-9._~-]+$/
/** They would stand in the journal for anybody to read. */
const SECRET_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie'])

/** Of a document that has the shape of one. */
export function* endpointProblems(document: GraphDocument): Generator<GraphProblem> {
  for (const { activity, pointer } of eachActivity(document))
    if (activity.type === 'http-response') yield* answerProblems(activity, pointerTo(pointer, 'inputs', 'headers'))
  const seen = new Map<string, string>()
  for (const [position, activity] of document.activities.entries()) {
    const pointer = pointerTo('', 'activities', position, 'inputs')
    if (activity.type === 'event') yield* eventProblems(activity, pointer)
    if (activity.type !== 'http-endpoint' || !isJsonObject(activity.inputs as Json)) continue
    yield* pathProblems(activity, pointerTo(pointer, 'path'))
    yield* restProblems(activity, pointer)
    const { methods } = endpointOf(activity.inputs!)
    for (const method of methods) {
      const key = `${method} ${shapeOf(String(activity.inputs!.path))}`
      const other = seen.get(key)
      seen.set(key, activity.id)
      if (other === undefined) continue
      const text = `"${activity.id}" and "${other}" both answer ${key}: change one of the paths`
      yield problem(pointerTo(pointer, 'path'), 'PATH_TAKEN', text)
    }
  }
}

function* answerProblems({ id, inputs }: ActivityDocument, pointer: string): Generator<GraphProblem> {
  const headers = inputs?.headers
  if (headers === undefined || !isJsonObject(headers)) return
  for (const name of Object.keys(headers).filter(isReservedHeader)) {
    const text = `"${id}" cannot answer with the header "${name}", which is the server's own: remove it`
    yield problem(pointerTo(pointer, name), 'INVALID_INPUT', text)
  }
}

function* eventProblems({ id, inputs }: ActivityDocument, pointer: string): Generator<GraphProblem> {
  const { filter } = inputs ?? {}
  if (filter === undefined || isExpressionValue(filter)) return
  const text = `Input "filter" of "${id}" must be an expression: write { "$expr": "input.amount > 100" }`
  yield problem(pointerTo(pointer, 'filter'), 'INVALID_INPUT', text)
}

function* pathProblems({ id, inputs }: ActivityDocument, pointer: string): Generator<GraphProblem> {
  const path = String(inputs!.path)
  const wrong = (why: string): GraphProblem => problem(pointer, 'INVALID_INPUT', `Input "path" of "${id}" ${why}`)
  if (splitPath(path).length > MOST_SEGMENTS) yield wrong(`has more than ${MOST_SEGMENTS} segments: shorten it`)
  const names = new Set<string>()
  for (const segment of segmentsOf(path)) {
    if ('text' in segment) {
      if (!LITERAL.test(segment.text) || segment.text === '.' || segment.text === '..')
        yield wrong(`has the segment "${segment.text}": use letters, digits and . _ ~ -, or {name} for a parameter`)
    } else if (!PARAMETER.test(segment.parameter)) {
      yield wrong(`has the parameter "${segment.parameter}": its name is a letter, then letters, digits and _`)
    } else if (names.has(segment.parameter)) yield wrong(`has two parameters "${segment.parameter}": rename one`)
    else names.add(segment.parameter)
  }
}

function* restProblems({ id, inputs }: ActivityDocument, pointer: string): Generator<GraphProblem> {
  const { headers, body, timeout } = inputs!
  for (const [n, header] of (Array.isArray(headers) ? headers : []).entries()) {
    if (!SECRET_HEADERS.has(String(header).toLowerCase())) continue
    const text = `"${id}" would keep the header "${String(header)}" where anybody can read it: remove it`
    yield problem(pointerTo(pointer, 'headers', n), 'INVALID_INPUT', text)
  }
  const fault = body === undefined || body === null ? undefined : schemaFault(body as object | boolean)
  if (fault !== undefined)
    yield problem(pointerTo(pointer, 'body'), 'INVALID_INPUT', `Input "body" of "${id}" is no JSON schema: ${fault}`)
  if ((typeof timeout === 'string' || typeof timeout === 'number') && parseDuration(timeout) > LONGEST_WAIT_MS)
    yield problem(pointerTo(pointer, 'timeout'), 'INVALID_INPUT', `Input "timeout" of "${id}" may be 60s at most`)
}
