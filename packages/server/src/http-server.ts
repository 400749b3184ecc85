import {
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  type Random,
  systemClock,
  systemRandom,
  uuidSource,
} from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import { DEFAULT_TENANT, type DeadLetters, type Engine, type LiveFeed, type SecretVault } from '@lockstep/engine'
import type { BrowseStore, HoldingStore, IdempotencyStore } from '@lockstep/engine/ports'
import Fastify, { type FastifyInstance } from 'fastify'
import { type AccessOptions, openAccess } from './auth/access.ts'
import { UnsafeStart } from './auth/errors.ts'
import { guardRoutes } from './auth/guard.ts'
import { isLoopback } from './auth/same-site.ts'
import { signOnRoutes } from './auth/sign-on-routes.ts'
import { eachServer } from './connection/each-server.ts'
import { type Departures, leaveTogether } from './connection/leave-together.ts'
import { rememberAddresses } from './connection/remember-addresses.ts'
import type { DevControl } from './dev-cluster/dev-control.ts'
import { CannotListen, PortInUse } from './errors.ts'
import { allowOrigins } from './hardening/cross-origin.ts'
import { sendSecurityHeaders } from './hardening/security-headers.ts'
import type { HealthSource } from './health/health.ts'
import { healthRoutes } from './health/health-routes.ts'
import { workflowRequests } from './http-trigger/workflow-requests.ts'
import { mayStillRead } from './live/live-guard.ts'
import { LiveStreams, type StreamGuard } from './live/live-streams.ts'
import { StreamSeats } from './live/stream-seats.ts'
import { LockLab, type LockLabOptions } from './lock-lab/lock-lab.ts'
import type { MetricsHistory } from './metrics/history.ts'
import type { MetricsReadings } from './metrics/metrics-readings.ts'
import { type MetricsText, metricsRoute } from './metrics/metrics-route.ts'
import type { RoundTrips } from './metrics/round-trips.ts'
import { apiPageRoutes } from './openapi/api-page-routes.ts'
import { type OpenApi, toOpenApi } from './openapi/openapi.ts'
import { Admission } from './overload/admission.ts'
import type { OverloadOptions } from './overload/overload-options.ts'
import { problemPages } from './problem/problem-page.ts'
import { answerBrokenClient, answerWithProblems, frameworkErrors } from './problem/problem-replies.ts'
import { ShuttingDown } from './problem/request-errors.ts'
import { Idempotency } from './request/idempotency.ts'
import { readJsonBodies } from './request/json-body.ts'
import { requestIds, tellRequestIds } from './request/request-id.ts'
import { tellServerTiming } from './request/server-timing.ts'
import { BODY_LIMITS, type JsonLimits } from './request/sound-json.ts'
import { readTextBodies } from './request/text-body.ts'
import { resumePages } from './resume-page/resume-pages.ts'
import { hook } from './route/hook.ts'
import { mount } from './route/mount.ts'
import type { ApiContext } from './route/route.ts'
import { tenantContexts } from './route/tenant-context.ts'
import { refuseUnrouted } from './route/unrouted.ts'
import { apiRoutes } from './routes/index.ts'
import { studioRoutes } from './studio/studio-routes.ts'
import type { RequestTracer } from './trace/request-tracer.ts'
import { traceRequests } from './trace/trace-requests.ts'
import { InFlight } from './wait/in-flight.ts'
import { Waits } from './wait/waits.ts'
import type { ServerSetting } from './wire/setting.ts'

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  /** Path before every route, without a slash at its end. */
  readonly basePath: string
  readonly health: HealthSource
  /** @default 'lockstep' */
  readonly clusterName?: string
  readonly engine: Engine
  /** What lists are made of. */
  readonly browse: BrowseStore & HoldingStore
  /** Where answers to requests with an Idempotency-Key are kept. */
  readonly idempotency: IdempotencyStore
  /** Who may reach it. Absent: everybody, on loopback only, and nothing is audited. */
  readonly access?: AccessOptions
  /** What keeps the secrets of steps. Absent: none are kept here. */
  readonly secrets?: SecretVault
  /** What could not start its workflow. Absent: nothing is kept here. */
  readonly deadLetters?: DeadLetters
  /** Proxies whose word on where a request came from is taken: addresses and networks. @default none */
  readonly trustProxy?: string[]
  /** Whether it serves `/api`, Studio and what workflows answer, or only health and metrics. @default true */
  readonly api?: boolean
  /** The toolkit of this node. Absent: only running instances are listed as locks. */
  readonly locks?: () => Coordinator
  /** What the live stream tells. Absent: there is none. */
  readonly live?: LiveFeed
  /** Whether an open stream may go on. Absent: whoever may open one may keep it. */
  readonly streamGuard?: StreamGuard
  /** How many streams one principal may have open on this node. @default 100 */
  readonly streamsEach?: number
  /** What `/metrics` says. Absent: there is none. */
  readonly metrics?: MetricsText
  /** What the node counted lately. Absent: it cannot be asked for. */
  readonly history?: MetricsHistory
  /** What the whole cluster counted. Absent: only this node can be asked about. */
  readonly readings?: MetricsReadings
  /** What the node leans on, and how far away it is. Absent: it cannot be asked for. */
  readonly roundTrips?: Pick<RoundTrips, 'list'>
  /** What this node runs with; absent: nobody said. */
  readonly settings?: readonly ServerSetting[]
  /** What the supervisor of `lockstep cluster dev` hands to its nodes. Absent: nobody can be killed from here. */
  readonly devControl?: DevControl | undefined
  /** `lockstep dev` and `lockstep cluster dev` have one. Absent: there is no lab. */
  readonly lockLab?: LockLabOptions | undefined
  /** Makes spans of requests. Absent: nobody traces. */
  readonly tracer?: RequestTracer
  /** Whether answers tell those who may know how long they took. @default false */
  readonly serverTiming?: boolean
  /** Folder of the built Studio. Absent: this server has none. */
  readonly studio?: string
  /** How many requests are worked on, wait or are refused. */
  readonly overload?: OverloadOptions
  /** What bodies may have inside themselves; those that are whole workflows have limits of their own. @default 64 levels, 50,000 members */
  readonly bodies?: Partial<JsonLimits>
  readonly logger: Logger
  /** @default the system's */
  readonly clock?: Clock
  /** @default the system's */
  readonly random?: Random
}

export interface HttpServer {
  readonly url: string
  /** Lets requests that wait answer with what there is, then stops. Close it before the engine. */
  close(): Promise<void>
}

/** One payload of the largest kind, and what stands around it. */
const BODY_LIMIT = 1_048_576 + 65_536
/** For a whole request to arrive; how long an answer may take is the operation's matter. */
const ARRIVAL_MS = 60_000
/** For its headers alone: who sends them byte by byte holds a socket no longer than this. */
const HEADERS_MS = 20_000
/** What is still running then is cut off. */
const LONGEST_CLOSE_MS = 3_000
/** Names of locks have up to 512 characters, each of which a path may write as nine. */
const LONGEST_PARAMETER = 5_000

/** Listens, or fails with a sentence that names the address. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  requireSafe(options)
  const app = await httpApp(options)
  await listen(app, options)
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}${options.basePath}`, close: () => app.close() }
}

/** Whoever composes a server cannot leave it open by leaving something out. */
function requireSafe({ host, access }: HttpServerOptions): void {
  if ((access !== undefined && access.auth !== 'none') || isLoopback(host)) return
  throw new UnsafeStart({
    why: `Without authentication everybody who reaches ${host} would be an admin`,
    fix: 'Set LOCKSTEP_AUTH=keys and LOCKSTEP_API_KEY, or listen on 127.0.0.1',
  })
}

/** Everything but the socket. */
export async function httpApp(options: Omit<HttpServerOptions, 'host' | 'port'>): Promise<FastifyInstance> {
  const { basePath, engine, health, browse, locks, clock = systemClock, random = systemRandom } = options
  const logger = options.logger.area('http')
  const root = `${basePath}/api/v1`
  const waits = new Waits(engine)
  const inFlight = new InFlight(clock)
  const admission = new Admission(clock, options.overload)
  const idempotency = new Idempotency({ store: options.idempotency, newToken: uuidSource(clock, random), logger })
  const access = openAccess(options.access, { clock, random, logger: options.logger, basePath })
  const guard = options.streamGuard ?? ((reader) => mayStillRead(access, reader))
  const live = options.live && new LiveStreams({ feed: options.live, clock, guard })
  // Times that are told or written down are the store's: a node whose clock is wrong says the same as the others.
  const storeClock: Clock = {
    now: () => engine.storeTime(),
    monotonic: () => clock.monotonic(),
    schedule: (...wanted) => clock.schedule(...wanted),
    soon: (run) => clock.soon(run),
  }
  const context: ApiContext = {
    engine,
    browse,
    clusterName: options.clusterName ?? 'lockstep',
    locks,
    clock: storeClock,
    tenant: DEFAULT_TENANT,
    root,
    publicUrl: options.access?.publicUrl,
    waits,
    inFlight,
    admission,
    idempotency,
    access,
    secrets: options.secrets,
    deadLetters: options.deadLetters,
    live,
    seats: new StreamSeats(options.streamsEach),
    history: options.history,
    readings: options.readings,
    roundTrips: options.roundTrips,
    settings: options.settings ?? [],
    devControl: options.devControl,
    lockLab: options.lockLab && new LockLab(options.lockLab, clock),
  }
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    return503OnClosing: false, // ours is a problem like any other
    bodyLimit: BODY_LIMIT,
    requestTimeout: ARRIVAL_MS,
    http: { headersTimeout: HEADERS_MS },
    ...(options.trustProxy === undefined ? {} : { trustProxy: options.trustProxy }),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: frameworkErrors({ logger, basePath }),
    genReqId: requestIds(random),
    clientErrorHandler: answerBrokenClient,
  })
  const departures: Departures[] = []
  eachServer(app, (server) => {
    departures.push(leaveTogether(server, clock))
    rememberAddresses(server)
  })
  answerWithProblems(app, { logger, basePath })
  tellRequestIds(app)
  if (options.serverTiming === true) tellServerTiming(app, clock)
  sendSecurityHeaders(app, { https: options.access?.publicUrl?.startsWith('https:') === true })
  await allowOrigins(app, options.access?.corsOrigins ?? [])
  refuseUnrouted(app)
  const requirePermissions = guardRoutes(app, access, storeClock)
  const bodies = { ...BODY_LIMITS, ...options.bodies }
  readJsonBodies(app, bodies)
  app.addHook('preClose', async () => {
    waits.close()
    live?.close()
    admission.close()
    await inFlight.settled(LONGEST_CLOSE_MS)
    await access.close()
    await Promise.all(departures.map((each) => each.left()))
  })
  await app.register(async (scope) => healthRoutes(scope, health), { prefix: basePath })
  const { metrics } = options
  if (metrics !== undefined) await app.register(async (scope) => metricsRoute(scope, metrics), { prefix: basePath })
  await app.register(async (scope) => problemPages(scope), { prefix: basePath })
  if (options.api === false) {
    requirePermissions()
    return app
  }
  await app.register(
    async (scope) => {
      traceRequests(scope, options.tracer)
      await apiScope(scope, context)
    },
    { prefix: root },
  )
  const describe = (): OpenApi => toOpenApi(apiRoutes, root)
  await app.register(async (scope) => apiPageRoutes(scope, describe, basePath), { prefix: basePath })
  const { studio } = options
  if (studio !== undefined)
    await app.register(async (scope) => studioRoutes(scope, { folder: studio, basePath, random }), { prefix: basePath })
  const { publicUrl } = context
  const site = { access, basePath, publicUrl, now: () => clock.now(), logger: options.logger.area('access') }
  await app.register(async (scope) => signOnRoutes(scope, site), { prefix: basePath })
  const resume = `${basePath}/resume`
  await app.register(async (scope) => resumePages(scope, context, resume), { prefix: resume })
  const workflows = `${basePath}/workflows`
  await app.register(
    async (scope) => {
      traceRequests(scope, options.tracer)
      workflowRequests(scope, context, workflows, bodies)
    },
    { prefix: workflows },
  )
  requirePermissions()
  return app
}

async function apiScope(app: FastifyInstance, context: ApiContext): Promise<void> {
  app.addHook(
    'onRequest',
    hook(() => {
      if (context.waits.closed) throw new ShuttingDown({})
    }),
  )
  const contextOf = tenantContexts(context)
  for (const route of apiRoutes) {
    const { bodyText } = route
    if (bodyText === undefined) mount(app, contextOf, route)
    else
      await app.register(async (scope) => {
        readTextBodies(scope, bodyText)
        mount(scope, contextOf, route)
      })
  }
  const document = JSON.stringify(toOpenApi(apiRoutes, context.root))
  app.get('/openapi.json', { config: { permission: 'public' } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  )
}

async function listen(app: FastifyInstance, { host, port }: HttpServerOptions): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    await app.close()
    if (errorCode(cause) === 'EADDRINUSE') throw new PortInUse({ host, port }, { cause })
    throw new CannotListen({ host, port, reason: errorMessage(cause) }, { cause })
  }
}
