import type { Engine } from '@lockstep/engine'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../problem/error-code.ts'
import type { InFlight } from '../wait/in-flight.ts'
import type { Waits } from '../wait/waits.ts'
import type { Variables } from '../wire/variables.ts'

/** What every operation works with; one per server. */
export interface ApiContext {
  readonly engine: Engine
  readonly tenant: string
  /** Path before the paths of routes: `/api/v1` behind the base path. */
  readonly root: string
  readonly waits: Waits
  readonly inFlight: InFlight
  readonly variables: Variables
}

type Part<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined

/** A request whose parts have been checked. */
export interface Call<Query extends TSchema | undefined, Body extends TSchema | undefined> {
  readonly params: { readonly id: string }
  readonly query: Part<Query>
  readonly body: Part<Body>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly etag?: string
  readonly location?: string
}

/** One operation: parse, call, map. What it takes and answers is what OpenAPI says of it. */
export interface Route<Query extends TSchema | undefined, Body extends TSchema | undefined> {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Behind `/api/v1`. The one parameter there is is called `:id`. */
  readonly path: string
  /** Unique; names the method of a generated client. */
  readonly name: string
  readonly summary: string
  /** Form of `:id`, for readers; the handler turns it into a bare id. */
  readonly id?: TSchema
  readonly query?: Query
  readonly body?: Body
  /** Whether the body may be left out, which then counts as `{}`. */
  readonly bodyOptional?: boolean
  /** `engine`: the engine judges the body, place by place, and the schema only describes it. @default 'schema' */
  readonly bodyJudge?: 'schema' | 'engine'
  /** Bytes. */
  readonly bodyLimit?: number
  readonly ifMatch?: 'required' | 'optional'
  readonly replies: Readonly<Record<number, TSchema>>
  /** Problems beyond those that any request can get. */
  readonly problems: readonly ErrorCode[]
  handle(context: ApiContext, call: Call<Query, Body>): Promise<Answer>
}

export type AnyRoute = Route<TSchema | undefined, TSchema | undefined>

/** Keeps the types of a route's parts together. */
export function route<
  const Query extends TSchema | undefined = undefined,
  const Body extends TSchema | undefined = undefined,
>(definition: Route<Query, Body>): Route<Query, Body> {
  return definition
}
