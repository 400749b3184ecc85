import { InvalidOption } from '@lockstep/base'
import type { NodeRole, SchedulerMode } from '@lockstep/engine'
import { DEFAULT_POOL, SMALLEST_POOL } from '@lockstep/postgres'
import { type LogLevels, parseLogLevels } from '../log/log-levels.ts'
import { type AcceleratorOptions, resolveAcceleratorOptions } from './accelerator-options.ts'
import { type AccessSettings, resolveAccessOptions } from './access-options.ts'
import { oneOf, onOff } from './one-of.ts'
import type { OptionOrigins } from './option-origins.ts'
import { type OutsideOptions, resolveOutsideOptions } from './outside-options.ts'
import { type CodeOptions, optionNames, type RawOptions } from './raw-options.ts'
import { type KeepOption, retentionOf } from './retention-option.ts'
import { rolesOf } from './roles-option.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LockStore = 'postgres' | 'redis' | 'memory'
export type MigrateMode = 'auto' | 'check' | 'off'

/** What a node runs with, after flags, environment and configuration file were merged and checked. */
export interface NodeOptions extends OutsideOptions, AcceleratorOptions {
  readonly host: string
  readonly port: number
  readonly basePath: string
  readonly access: AccessSettings
  /** Absent: the embedded store in `dataDir`. */
  readonly databaseUrl: string | undefined
  /** Connections of the pools to PostgreSQL, all together. */
  readonly databasePool: number
  readonly clusterName: string
  readonly dataDir: string
  readonly redisUrl: string | undefined
  readonly redisPrefix: string
  readonly locks: LockStore
  readonly lockTtlMs: number
  readonly lockWaitMs: number
  /** Whether activity modules are loaded anew when their files change. */
  readonly watch: boolean
  /** Whether an empty embedded store gets sample workflows. */
  readonly samples: boolean
  /** Whether answers tell how long they took. */
  readonly serverTiming: boolean
  /** What this node does. */
  readonly roles: readonly NodeRole[]
  readonly scheduler: SchedulerMode
  /** How long ended instances stay where no rule says otherwise; what is left out keeps its default. */
  readonly retention: KeepOption
  readonly nodeName: string | undefined
  readonly migrate: MigrateMode
  readonly logLevels: LogLevels
  /** Absent: nothing is traced. */
  readonly otlpEndpoint: string | undefined
  readonly heartbeatMs: number
  readonly nodeTtlMs: number
  readonly concurrency: number
  readonly requests: number
  /** Of bodies that are no workflows. */
  readonly bodyDepth: number
  readonly bodyMembers: number
  readonly drainMs: number
  /** Who set each option; those that nobody set are not in it. */
  readonly origins: OptionOrigins
}

/** Checks what the user gave. Every message names the option and what it may be. */
export function resolveNodeOptions(
  raw: RawOptions & CodeOptions & { readonly origins?: OptionOrigins } = {},
): NodeOptions {
  const host = raw.host ?? '127.0.0.1'
  const heartbeatMs = wholeNumber(raw, 'heartbeatMs', 750, 50, 60_000)
  const databaseUrl = raw.databaseUrl === '' ? undefined : raw.databaseUrl
  const redisUrl = raw.redisUrl === '' ? undefined : raw.redisUrl
  const clusterName = clusterNameOf(raw.clusterName)
  return {
    ...resolveOutsideOptions(raw),
    ...resolveAcceleratorOptions(raw),
    watch: onOff(raw.watch, 'watch'),
    samples: onOff(raw.samples, 'samples'),
    serverTiming: onOff(raw.serverTiming, 'serverTiming'),
    host,
    access: resolveAccessOptions(raw, host),
    port: wholeNumber(raw, 'port', 4400, 0, 65_535),
    basePath: basePath(raw.basePath ?? '/'),
    databaseUrl,
    databasePool: wholeNumber(raw, 'databasePool', DEFAULT_POOL, SMALLEST_POOL, 500),
    clusterName,
    redisUrl,
    redisPrefix: nonEmpty(raw.redisPrefix ?? prefixOf(clusterName), 'redisPrefix', 'a prefix of keys'),
    locks: lockStore(raw.locks, databaseUrl, redisUrl),
    lockTtlMs: wholeNumber(raw, 'lockTtlMs', 30_000, 50, 86_400_000),
    lockWaitMs: wholeNumber(raw, 'lockWaitMs', 30_000, 0, 86_400_000),
    dataDir: nonEmpty(raw.dataDir ?? '.lockstep', 'dataDir', 'the path of a folder'),
    roles: rolesOf(raw.roles),
    scheduler: oneOf(raw.scheduler ?? 'cluster', 'scheduler', ['cluster', 'leader', 'off']),
    retention: retentionOf(raw.retention),
    nodeName: raw.nodeName,
    migrate: oneOf(raw.migrate ?? 'auto', 'migrate', ['auto', 'check', 'off']),
    logLevels: parseLogLevels(raw.logLevel ?? 'info'),
    otlpEndpoint: collector(raw.otlpEndpoint),
    heartbeatMs,
    nodeTtlMs: wholeNumber(raw, 'nodeTtlMs', 4 * heartbeatMs, 2 * heartbeatMs, 600_000),
    concurrency: wholeNumber(raw, 'concurrency', 500, 1, 5_000),
    requests: wholeNumber(raw, 'requests', 1_000, 4, 1_000_000),
    bodyDepth: wholeNumber(raw, 'bodyDepth', 64, 8, 400),
    bodyMembers: wholeNumber(raw, 'bodyMembers', 50_000, 100, 1_000_000),
    drainMs: wholeNumber(raw, 'drainMs', 20_000, 0, 600_000),
    origins: raw.origins ?? ofCode(raw),
  }
}

/** Whoever says nothing of origins gave them in code. */
const ofCode = (raw: RawOptions): OptionOrigins =>
  Object.fromEntries(optionNames.filter((option) => raw[option] !== undefined).map((option) => [option, 'code']))

function wholeNumber(
  raw: RawOptions,
  option:
    | 'port'
    | 'heartbeatMs'
    | 'nodeTtlMs'
    | 'concurrency'
    | 'requests'
    | 'bodyDepth'
    | 'bodyMembers'
    | 'drainMs'
    | 'lockTtlMs'
    | 'lockWaitMs'
    | 'databasePool',
  fallback: number,
  least: number,
  most: number,
): number {
  const given = raw[option]
  if (given === undefined) return fallback
  const value = typeof given === 'number' ? given : /^\d+$/.test(given.trim()) ? Number(given) : Number.NaN
  if (!Number.isInteger(value) || value < least || value > most)
    throw new InvalidOption({ option, rule: `a whole number from ${least} to ${most}`, value: given })
  return value
}

/** Locks of one process alone are refused where there may be others: they would all get them. */
function lockStore(
  given: string | undefined,
  databaseUrl: string | undefined,
  redisUrl: string | undefined,
): LockStore {
  const locks = oneOf(given ?? (databaseUrl === undefined ? 'memory' : 'postgres'), 'locks', [
    'postgres',
    'redis',
    'memory',
  ])
  const refuse = (rule: string): never => {
    throw new InvalidOption({ option: 'locks', rule, value: locks })
  }
  if (locks === 'redis' && redisUrl === undefined) refuse('postgres or memory unless redisUrl is set')
  if (locks === 'postgres' && databaseUrl === undefined) refuse('memory or redis unless databaseUrl is set')
  if (locks === 'memory' && databaseUrl !== undefined)
    refuse('postgres or redis: a database is shared by several nodes')
  return locks
}

const DEFAULT_CLUSTER = 'lockstep'

function clusterNameOf(given: string = DEFAULT_CLUSTER): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(given)) return given
  const rule = 'up to 63 lower case letters, digits and hyphens, such as orders-prod'
  throw new InvalidOption({ option: 'clusterName', rule, value: given })
}

/** A cluster without a name of its own keeps the keys that it always had. */
const prefixOf = (cluster: string): string => (cluster === DEFAULT_CLUSTER ? 'lockstep' : `lockstep-${cluster}`)

function nonEmpty(value: string, option: string, rule: string): string {
  if (value.trim() === '') throw new InvalidOption({ option, rule, value })
  return value
}

function collector(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given
  throw new InvalidOption({ option: 'otlpEndpoint', rule: 'a URL such as http://collector:4318', value: given })
}

function basePath(value: string): string {
  if (!/^\/([\w.~-]+\/?)*$/.test(value))
    throw new InvalidOption({ option: 'basePath', rule: 'a path such as / or /lockstep', value })
  return value.replace(/\/+$/, '')
}
