import type { ConnectionOptions } from 'node:tls'
import { type Clock, InvalidOption, type Logger, type Random, silentLogger } from '@lockstep/base'
import type { SessionOptions } from '../connection/session.ts'
import { type LaneName, laneNames, type OnConnect } from '../db/db.ts'
import type { DbMeter } from '../db/db-meter.ts'
import { type DatabaseAddress, parseDatabaseUrl } from './parse-database-url.ts'

export interface LaneOptions {
  /** Most connections of this lane. @default control 2, work 4, api 4, flush 1 */
  readonly size?: number
  /** Server settings of its sessions, such as `{ enable_hashjoin: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>
  readonly statementTimeoutMs?: number
  readonly lockTimeoutMs?: number
  readonly idleInTransactionMs?: number
}

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=verify-full` */
  readonly url: string
  readonly clock: Clock
  readonly random: Random
  readonly logger?: Logger
  /** What the server shows for our sessions; burial ends the sessions of a dead node by it. @default 'lockstep' */
  readonly applicationName?: string
  /** @default 'lockstep' */
  readonly schema?: string
  /** The URL leads to a transaction pooler: nothing is prepared by name, nothing is set per session. @default false */
  readonly pooler?: boolean
  /** Where to listen when `url` leads to a pooler: listening needs a session of its own. @default `url` */
  readonly listenUrl?: string
  /** Certificates and checks beyond what `sslmode` says. */
  readonly tls?: ConnectionOptions
  readonly lanes?: Readonly<Partial<Record<LaneName, LaneOptions>>>
  /** Longest run of one statement. @default 30_000 */
  readonly statementTimeoutMs?: number
  /** Longest wait for a row or table lock. @default 5_000 */
  readonly lockTimeoutMs?: number
  /** Longest pause inside a transaction. @default 5_000 */
  readonly idleInTransactionMs?: number
  /** Longest wait for a free connection. Where there is none yet, the first may take `connectTimeoutMs`. @default 2_000 */
  readonly acquireTimeoutMs?: number
  /** @default 5_000 */
  readonly connectTimeoutMs?: number
  readonly onConnect?: OnConnect
  readonly meter?: DbMeter | undefined
}

export interface ResolvedLane extends SessionOptions {
  readonly size: number
}

export interface ResolvedPostgres {
  readonly address: DatabaseAddress
  readonly listenAddress: DatabaseAddress
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly applicationName: string
  readonly schema: string
  readonly pooler: boolean
  readonly acquireTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly onConnect: OnConnect | undefined
  readonly meter: DbMeter | undefined
  readonly lanes: Readonly<Record<LaneName, ResolvedLane>>
}

/**
 * One for flushes: the next one is on its way while one is worked on, and begins when that ends. Two sessions at once wrote to the same
 * ends of the same indexes and were a third slower for it.
 */
const sizes: Readonly<Record<LaneName, number>> = { control: 2, work: 4, api: 4, flush: 1 }

export function resolvePostgresOptions(options: PostgresOptions): ResolvedPostgres {
  const {
    clock,
    random,
    logger = silentLogger,
    applicationName = 'lockstep',
    schema = 'lockstep',
    pooler = false,
  } = options
  const { acquireTimeoutMs = 2_000, connectTimeoutMs = 5_000, onConnect, meter } = options
  const address = addressOf(options.url, options)
  return {
    address,
    listenAddress: options.listenUrl === undefined ? address : addressOf(options.listenUrl, options),
    ...{ clock, random, logger, applicationName, schema, pooler, acquireTimeoutMs, connectTimeoutMs, onConnect, meter },
    lanes: Object.fromEntries(
      laneNames.map((name) => [name, resolveLane(name, options, schema)]),
    ) as ResolvedPostgres['lanes'],
  }
}

function addressOf(url: string, { tls }: PostgresOptions): DatabaseAddress {
  const address = parseDatabaseUrl(url)
  return tls === undefined ? address : { ...address, tls }
}

function resolveLane(name: LaneName, options: PostgresOptions, schema: string): ResolvedLane {
  const lane = options.lanes?.[name] ?? {}
  const { size = sizes[name], settings = {} } = lane
  if (!Number.isInteger(size) || size < 1)
    throw new InvalidOption({ option: `lanes.${name}.size`, rule: 'a whole number from 1', value: size })
  const { statementTimeoutMs = 30_000, lockTimeoutMs = 5_000, idleInTransactionMs = 5_000 } = { ...options, ...lane }
  return { schema, size, settings, statementTimeoutMs, lockTimeoutMs, idleInTransactionMs }
}
