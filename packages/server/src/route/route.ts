import type { Clock } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import type { DeadLetters, Engine, SecretVault } from '@lockstep/engine'
import type { BrowseStore, HoldingStore } from '@lockstep/engine/ports'
import type { Static, TSchema } from 'typebox'
import type { AuditMode, AuditNote } from '../audit/audited.ts'
import type { Access } from '../auth/access.ts'
import type { RoutePermission } from '../auth/permissions.ts'
import type { Principal } from '../auth/principal.ts'
import type { DevControl } from '../dev-cluster/dev-control.ts'
import type { LiveStreams } from '../live/live-streams.ts'
import type { StreamSeats } from '../live/stream-seats.ts'
import type { LockLab } from '../lock-lab/lock-lab.ts'
import type { MetricsHistory } from '../metrics/history.ts'
import type { MetricsReadings } from '../metrics/metrics-readings.ts'
import type { RoundTrips } from '../metrics/round-trips.ts'
import type { Admission, Room } from '../overload/admission.ts'
import type { ErrorCode } from '../problem/error-code.ts'
import type { Idempotency } from '../request/idempotency.ts'
import type { InFlight } from '../wait/in-flight.ts'
import type { Waits } from '../wait/waits.ts'
import type { ServerSetting } from '../wire/setting.ts'
import type { Answer } from './answer.ts'

export type { Answer } from './answer.ts'

/** What every operation works with; one per server. */
export interface ApiContext {
  readonly engine: Engine
  readonly browse: BrowseStore & HoldingStore
  /** Of the cluster that this node is of. */
  readonly clusterName: string
  /** Opened when it is first asked for; absent: this server has no toolkit. */
  readonly locks: (() => Coordinator) | undefined
  readonly clock: Clock
  /** Of the principal that asks; nothing in a request names another. */
  readonly tenant: string
  /** Path before the paths of routes: `/api/v1` behind the base path. */
  readonly root: string
  /** Where people reach this server, its base path included. Absent: nobody said. */
  readonly publicUrl: string | undefined
  readonly waits: Waits
  readonly inFlight: InFlight
  readonly admission: Admission
  readonly idempotency: Idempotency
  readonly access: Access
  /** Absent: this server keeps no secrets. */
  readonly secrets: SecretVault | undefined
  /** Absent: this server keeps none. */
  readonly deadLetters: DeadLetters | undefined
  /** Absent: this server has no live stream. */
  readonly live: LiveStreams | undefined
  readonly seats: StreamSeats
  /** Absent: this server keeps no figures of before. */
  readonly history: MetricsHistory | undefined
  /** Absent: this server knows no figures but its own. */
  readonly readings: MetricsReadings | undefined
  /** Absent: this server does not measure how far away what it leans on is. */
  readonly roundTrips: Pick<RoundTrips, 'list'> | undefined
  /** What this node runs with, option by option. */
  readonly settings: readonly ServerSetting[]
  /** Absent: this server is no node of `lockstep cluster dev`. */
  readonly devControl: DevControl | undefined
  /** Absent: this server is not for development. */
  readonly lockLab: LockLab | undefined
}

type Part<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined

/** A request whose parts have been checked. */
export interface Call<Query extends TSchema | undefined, Body extends TSchema | undefined> {
  readonly params: { readonly id: string } & Readonly<Record<string, string>>
  readonly query: Part<Query>
  readonly body: Part<Body>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly principal: Principal
  /** Where the request came from, behind the proxies that are trusted. */
  readonly address: string
  /** Of a request with an Idempotency-Key: the same for each attempt of it within its day, and for no other request. */
  readonly once: string | undefined
  /** What the audit log is to say of it besides. */
  readonly note: AuditNote
  /** Aborts when the caller hangs up before it was answered. */
  readonly gone: AbortSignal
  /** To be wrapped around what only waits: the request takes no room from others meanwhile. */
  readonly rest: Room['rest']
}

/** One operation: parse, call, map. What it takes and answers is what OpenAPI says of it. */
export interface Route<Query extends TSchema | undefined, Body extends TSchema | undefined> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Behind `/api/v1`. The first parameter there is is called `:id`. */
  readonly path: string
  /** Unique; names the method of a generated client. */
  readonly name: string
  readonly summary: string
  /** What the caller must be allowed. A route without one stops the boot. */
  readonly permission: RoutePermission
  /** `cluster`: it is about all tenants at once, hence for principals of the default one only. */
  readonly reach?: 'cluster'
  /** How its entry in the audit log is written. @default 'never' for GET, else 'written' */
  readonly audit?: AuditMode
  /** Form of `:id`, for readers; the handler turns it into a bare id. */
  readonly id?: TSchema
  /** Forms of the other parameters of the path, checked. */
  readonly params?: Readonly<Record<string, TSchema>>
  readonly query?: Query
  readonly body?: Body
  /** Whether the body may be left out, which then counts as `{}`. */
  readonly bodyOptional?: boolean
  /** `engine`: the engine judges the body, place by place, and the schema only describes it. @default 'schema' */
  readonly bodyJudge?: 'schema' | 'engine'
  /** The body is text of one of these media types, and is handed on as it is. */
  readonly bodyText?: readonly string[]
  /** Bytes. */
  readonly bodyLimit?: number
  readonly ifMatch?: 'required' | 'optional'
  /** GET: the answer has an ETag, and If-None-Match with it is answered by 304. */
  readonly cached?: true
  /** Its path or its answer is a secret: no answer is kept for a repeated request, nor by anybody on the way. */
  readonly secret?: true
  /** Its path opens something: over plain http it is refused where https is required. */
  readonly opens?: true
  /** `noContent` for 204. */
  readonly replies: Readonly<Record<number, TSchema>>
  /** Media types of answers that are text; the reply's schema describes it. */
  readonly replyTypes?: readonly string[]
  /** The answer goes on until one side ends it. */
  readonly stream?: true
  /** Problems beyond those that any request can get. */
  readonly problems: readonly ErrorCode[]
  /** At once where there is nothing to wait for: on paths that are asked very often that is felt. */
  handle(context: ApiContext, call: Call<Query, Body>): Answer | Promise<Answer>
}

export type AnyRoute = Route<TSchema | undefined, TSchema | undefined>

/** Keeps the types of a route's parts together. */
export function route<
  const Query extends TSchema | undefined = undefined,
  const Body extends TSchema | undefined = undefined,
>(definition: Route<Query, Body>): Route<Query, Body> {
  return definition
}
