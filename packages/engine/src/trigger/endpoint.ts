/** What a document says of an endpoint, read once it was validated. */
import { isJsonObject, type Json, type JsonObject, parseDuration } from '@lockstep/base'

export const ENDPOINT_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** As large as an input may be. */
export const MOST_BYTES = 1_048_576
const USUAL_HEADERS = ['content-type', 'accept', 'user-agent']
const WAIT_MS = 30_000
export const LONGEST_WAIT_MS = 60_000

export interface Endpoint {
  /** Literal text, or the name of a parameter. */
  readonly segments: readonly ({ readonly text: string } | { readonly parameter: string })[]
  readonly methods: readonly string[]
  readonly mode: 'async' | 'sync'
  /** `required`: for callers who may start instances. */
  readonly auth: 'public' | 'required'
  readonly waitMs: number
  readonly maxBytes: number
  /** Lower case. */
  readonly headers: readonly string[]
  /** Those of them that the document names: they belong to the request, the others to whatever program sent it. */
  readonly ownHeaders: readonly string[]
  /** JSON schema. */
  readonly body: Json | undefined
}

export function endpointOf(inputs: JsonObject): Endpoint {
  const { path, methods, mode, auth, timeout, maxBytes, headers, body } = inputs
  const ownHeaders = Array.isArray(headers) ? headers.map((each) => String(each).toLowerCase()) : []
  return {
    segments: segmentsOf(String(path)),
    methods: Array.isArray(methods) ? methods.map(String) : ['POST'],
    mode: mode === 'sync' ? 'sync' : 'async',
    auth: auth === 'required' ? 'required' : 'public',
    waitMs: typeof timeout === 'string' || typeof timeout === 'number' ? parseDuration(timeout) : WAIT_MS,
    maxBytes: typeof maxBytes === 'number' ? maxBytes : MOST_BYTES,
    headers: [...USUAL_HEADERS, ...ownHeaders],
    ownHeaders,
    body: body === null ? undefined : body,
  }
}

/** Slashes at either end mean nothing. */
export function splitPath(path: string): readonly string[] {
  let [start, end] = [0, path.length]
  // Not by a pattern: strangers write paths, and one that looks for slashes before the end begins anew at each of them.
  while (path[start] === '/') start += 1
  while (end > start && path[end - 1] === '/') end -= 1
  return start === end ? [] : path.slice(start, end).split('/')
}

export function segmentsOf(path: string): Endpoint['segments'] {
  return splitPath(path).map((segment) => {
    const [, parameter] = /^\{(.*)\}$/.exec(segment) ?? []
    return parameter === undefined ? { text: segment } : { parameter }
  })
}

/** Two paths that differ only in the names of their parameters have one shape. */
export function shapeOf(path: string): string {
  return `/${segmentsOf(path)
    .map((segment) => ('text' in segment ? segment.text : '{}'))
    .join('/')}`
}

/** The parameters of a path that has the endpoint's shape. */
export function parametersOf({ segments }: Endpoint, given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segments.flatMap((segment, n) => ('parameter' in segment ? [[segment.parameter, given[n]!]] : [])),
  )
}

/** The activities of a document that are endpoints, with their places. */
export function endpointActivities(
  document: unknown,
): readonly { readonly place: number; readonly inputs: JsonObject }[] {
  const { activities } = isJsonObject(document as Json) ? (document as JsonObject) : {}
  if (!Array.isArray(activities)) return []
  return activities.flatMap((activity: Json, place: number) => {
    if (!isJsonObject(activity) || activity.type !== 'http-endpoint') return []
    return isJsonObject(activity.inputs) ? [{ place, inputs: activity.inputs }] : []
  })
}
