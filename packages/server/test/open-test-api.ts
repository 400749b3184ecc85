import { systemClock as clock, type LogFields, type Logger, systemRandom as random } from '@lockstep/base'
import { type Coordinator, coordinator, memoryProvider, silentBus } from '@lockstep/coordination'
import {
  type AnyWorkflow,
  DeadLetters,
  Engine,
  type EngineOptions,
  LiveFeed,
  parseSecretKeys,
  SecretVault,
} from '@lockstep/engine'
import type { BrowseStore, HoldingStore, IdempotencyStore } from '@lockstep/engine/ports'
import {
  type Db,
  openPostgres,
  postgresAccess,
  postgresBrowse,
  postgresDeadLetters,
  postgresEngineStore,
  postgresIdempotency,
  postgresLive,
  postgresMetrics,
  postgresSecrets,
} from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import type { FastifyInstance } from 'fastify'
import { inject } from 'vitest'
import type { DevControl } from '../src/dev-cluster/dev-control.ts'
import { httpApp } from '../src/http-server.ts'
import type { LockLabOptions } from '../src/lock-lab/lock-lab.ts'
import { MetricsHistory } from '../src/metrics/history.ts'
import { MetricsReadings } from '../src/metrics/metrics-readings.ts'
import { NodeMetrics } from '../src/metrics/node-metrics.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Of tests alone. */
const KEY = Buffer.from(random.bytes(32)).toString('base64')

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  readonly body: any
}

export interface Sent {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** The whole server but its socket, over a real engine on a database of its own. */
export interface TestApi {
  readonly engine: Engine
  readonly db: Db
  readonly app: FastifyInstance
  /** The toolkit whose locks the server shows. */
  readonly locks: Coordinator
  readonly ports: { readonly browse: BrowseStore & HoldingStore; readonly idempotency: IdempotencyStore }
  readonly described: DescribedApi
  /** Lines logged as errors: none, unless a test means it. */
  readonly failures: readonly { readonly message: string; readonly fields: LogFields | undefined }[]
  /** Behind `/api/v1`. Every answer is held against what OpenAPI says of the operation. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD',
    path: string,
    sent?: Sent,
  ): Promise<Reply>
  close(): Promise<void>
}

export async function openTestApi(
  options: {
    readonly workflows?: readonly AnyWorkflow[]
    readonly basePath?: string
    readonly warmLimit?: number
    readonly engine?: Partial<EngineOptions>
    readonly devControl?: DevControl
    readonly lockLab?: LockLabOptions
  } = {},
): Promise<TestApi> {
  const { workflows = [], basePath = '', warmLimit = 1_000 } = options
  const failures: { message: string; fields: LogFields | undefined }[] = []
  const logger = recordingLogger((message, fields) => failures.push({ message, fields }))
  const database = await cloneDatabase(inject('postgres'))
  const db = await openPostgres({ url: database.url, clock, random, acquireTimeoutMs: 60_000 })
  const engine = await Engine.open({
    store: postgresEngineStore(db),
    clock,
    random,
    workflows,
    resumeWaitMs: 100,
    warmLimit,
    ...options.engine,
  })
  const locks = coordinator({ provider: memoryProvider({ clock }), ownsProvider: true, clock, random, name: 'test' })
  const ports = { browse: postgresBrowse(db), idempotency: postgresIdempotency(db) }
  const live = new LiveFeed({ store: postgresLive(db), bus: silentBus, id: 'test', clock, logger })
  const metrics = new NodeMetrics(clock)
  const history = new MetricsHistory(metrics.registry, clock)
  const app = await httpApp({
    basePath,
    engine,
    ...ports,
    locks: () => locks,
    live,
    history,
    readings: new MetricsReadings({
      ...{ history, definitions: metrics.definitions, store: postgresMetrics(db), clock, random, logger },
      nodeId: () => engine.nodeId,
      storeTime: () => engine.storeTime(),
    }),
    secrets: new SecretVault({ store: postgresSecrets(db), keys: parseSecretKeys(KEY), random }),
    deadLetters: new DeadLetters({ store: postgresDeadLetters(db), start: (request) => engine.start(request) }),
    access: { auth: 'none', store: postgresAccess(db), secret: 'of a test', passwordCost: 10 },
    devControl: options.devControl,
    lockLab: options.lockLab,
    logger,
    health: { started: () => true, ready: async () => [] },
  })
  const described: DescribedApi = describedApi((await app.inject({ url: `${basePath}/api/v1/openapi.json` })).json())
  return {
    engine,
    db,
    app,
    locks,
    ports,
    described,
    failures,
    async call(method, path, sent = {}) {
      const payload = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
      const answer = await app.inject({
        method,
        url: `${basePath}/api/v1${path}`,
        ...(payload === undefined ? {} : { payload }),
        headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...sent.headers },
      })
      const type = String(answer.headers['content-type'] ?? '')
      const body: unknown = /json/.test(type) && answer.body !== '' ? answer.json() : answer.body
      described.check({ method, path, status: answer.statusCode, type, body, sent: sent.body })
      return { status: answer.statusCode, headers: answer.headers as Reply['headers'], body }
    },
    async close() {
      await app.close()
      live.close()
      await locks.close()
      await engine.close()
      await db.close()
      await database.drop()
    },
  }
}

function recordingLogger(onError: (message: string, fields: LogFields | undefined) => void): Logger {
  const nothing = (): void => {}
  const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: onError, area: () => logger }
  return logger
}
