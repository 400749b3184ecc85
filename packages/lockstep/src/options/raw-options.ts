/** Options as a user gives them: on the command line, in the environment, in a file or to `lockstep({...})`. */
export interface RawOptions {
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Port to listen on; 0 picks a free one. @default 4400 */
  readonly port?: number | string
  /** Path under which everything is served. @default '/' */
  readonly basePath?: string
  /** PostgreSQL URL. Absent: the embedded store. */
  readonly databaseUrl?: string
  /** Folder of the embedded store. @default '.lockstep' */
  readonly dataDir?: string
  /** Redis URL, for whatever is set to `redis`. */
  readonly redisUrl?: string
  /** Before every key in Redis. @default 'lockstep' */
  readonly redisPrefix?: string
  /** Where locks are kept: `postgres`, `redis` or `memory`. @default 'postgres' with a database URL, else 'memory' */
  readonly locks?: string
  /** How long a lock lives without renewal. @default 30_000 */
  readonly lockTtlMs?: number | string
  /** How long a caller waits for a lock. @default 30_000 */
  readonly lockWaitMs?: number | string
  /** Whether this node fires schedules: `cluster` or `off`. @default 'cluster' */
  readonly scheduler?: string
  /** Name of this node in lists. @default host name and process id */
  readonly nodeName?: string
  /** Whether this process may change the schema. @default 'auto' */
  readonly migrate?: string
  /** @default 'info' */
  readonly logLevel?: string
  /** How often a node says that it lives. @default 750 */
  readonly heartbeatMs?: number | string
  /** Silence after which the others bury a node. @default 4 heartbeats */
  readonly nodeTtlMs?: number | string
  /** Instances that this node works on at once. @default 500 */
  readonly concurrency?: number | string
  /** How long a stopping node lets running steps finish. @default 20_000 */
  readonly drainMs?: number | string
}

/** The environment variable of each option (DESIGN §7). Secrets may also come from a file named by `…_FILE`. */
export const environmentNames = {
  host: 'LOCKSTEP_HOST',
  port: 'LOCKSTEP_PORT',
  basePath: 'LOCKSTEP_BASE_PATH',
  databaseUrl: 'LOCKSTEP_DATABASE_URL',
  dataDir: 'LOCKSTEP_DATA_DIR',
  redisUrl: 'LOCKSTEP_REDIS_URL',
  redisPrefix: 'LOCKSTEP_REDIS_PREFIX',
  locks: 'LOCKSTEP_LOCKS',
  lockTtlMs: 'LOCKSTEP_LOCK_TTL_MS',
  lockWaitMs: 'LOCKSTEP_LOCK_WAIT_MS',
  scheduler: 'LOCKSTEP_SCHEDULER',
  nodeName: 'LOCKSTEP_NODE_NAME',
  migrate: 'LOCKSTEP_MIGRATE',
  logLevel: 'LOCKSTEP_LOG_LEVEL',
  heartbeatMs: 'LOCKSTEP_HEARTBEAT_MS',
  nodeTtlMs: 'LOCKSTEP_NODE_TTL_MS',
  concurrency: 'LOCKSTEP_CONCURRENCY',
  drainMs: 'LOCKSTEP_DRAIN_MS',
} as const satisfies Record<keyof RawOptions, string>

export const optionNames = Object.keys(environmentNames) as readonly (keyof RawOptions)[]
