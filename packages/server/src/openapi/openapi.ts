/**
 * OpenAPI 3.1 from the route table: the schemas in it are the objects that check requests and write answers. Schemas that
 * have a name are told by identity and referred to, so that clients get types instead of copies.
 */
import type { TSchema } from 'typebox'
import type { ErrorCode } from '../problem/error-code.ts'
import { errorStatus } from '../problem/error-status.ts'
import { problemTitles } from '../problem/problem-titles.ts'
import type { AnyRoute } from '../route/route.ts'
import { noContent } from '../wire/schema.ts'
import { namedSchemas } from './named-schemas.ts'

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security: readonly object[]
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: object }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  /** Empty: it asks for no credentials. */
  readonly security?: readonly object[]
  readonly 'x-permission': string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: unknown
}

/** Any request can get these. */
const everywhere: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'CROSS_SITE_REQUEST',
  'RATE_LIMITED',
  'TOO_MANY_REQUESTS',
  'OVERLOADED',
  'SHUTTING_DOWN',
  'ISSUER_UNREACHABLE',
  'INTERNAL',
]
const withBody: readonly ErrorCode[] = [
  'MALFORMED_JSON',
  'BODY_TOO_COMPLEX',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]

const withKey: readonly ErrorCode[] = ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED']

/** A server whose LOCKSTEP_AUTH is none asks for neither. */
const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an access token of the configured issuer.' },
  session: { type: 'apiKey', in: 'cookie', name: 'lockstep-session', description: 'Set by POST /session.' },
}

export function toOpenApi(routes: readonly AnyRoute[], root: string): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route) }
  }
  const schemas = Object.fromEntries([...namedSchemas].map(([schema, name]) => [name, members(schema)]))
  return {
    openapi: '3.1.0',
    info: { title: 'Lockstep', version: 'v1', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: root }],
    paths,
    security: [{ bearer: [] }, { session: [] }],
    components: { schemas, securitySchemes },
  }
}

function toOperation(route: AnyRoute): Operation {
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.path.split('/')[1]!],
    ...(route.permission === 'public' ? { security: [] } : {}),
    'x-permission': route.permission,
    parameters: [...pathParameters(route), ...queryParameters(route.query), ...headerParameters(route)],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.bodyOptional !== true,
            content: contentOf(route.bodyText ?? ['application/json'], route.body),
          },
        }),
    responses: { ...answers(route), ...problems(route) },
  }
}

const pathParameters = ({ id, params = {} }: AnyRoute): Parameter[] =>
  Object.entries({ ...(id === undefined ? {} : { id }), ...params }).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: refer(schema),
  }))

function queryParameters(query: TSchema | undefined): Parameter[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: refer(schema),
  }))
}

function headerParameters({ method, ifMatch, cached }: AnyRoute): Parameter[] {
  const text = { type: 'string' }
  return [
    ...(ifMatch === undefined
      ? []
      : [{ name: 'If-Match', in: 'header' as const, required: ifMatch === 'required', schema: text }]),
    ...(cached ? [{ name: 'If-None-Match', in: 'header' as const, required: false, schema: text }] : []),
    ...(method === 'POST'
      ? [{ name: 'Idempotency-Key', in: 'header' as const, required: false, schema: { ...text, maxLength: 255 } }]
      : []),
  ]
}

function answers({ replies, replyTypes = ['application/json'], cached }: AnyRoute): Record<string, unknown> {
  const done = Object.entries(replies).map(([status, schema]) => [
    status,
    schema === noContent ? { description: 'Done.' } : { description: 'Done.', content: contentOf(replyTypes, schema) },
  ])
  return { ...Object.fromEntries(done), ...(cached ? { 304: { description: 'It is what If-None-Match names.' } } : {}) }
}

const contentOf = (types: readonly string[], schema: TSchema): Record<string, unknown> =>
  Object.fromEntries(types.map((type) => [type, { schema: refer(schema) }]))

function problems(route: AnyRoute): Record<string, unknown> {
  const codes = new Set([
    ...everywhere,
    ...(route.body === undefined ? [] : withBody),
    ...(route.method === 'POST' ? withKey : []),
    ...route.problems,
  ])
  const texts: Record<string, string[]> = {}
  for (const code of codes) {
    const status = errorStatus[code]
    texts[status] = [...(texts[status] ?? []), `${code}: ${problemTitles[code]}.`]
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return Object.fromEntries(
    Object.entries(texts).map(([status, lines]) => [status, { description: lines.join(' '), content }]),
  )
}

/** A schema as JSON, with a reference wherever a named one stands. */
function refer(schema: unknown): unknown {
  const name = namedSchemas.get(schema as TSchema)
  return name === undefined ? members(schema) : { $ref: `#/components/schemas/${name}` }
}

function members(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refer)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]))
}
