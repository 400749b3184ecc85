import type { Secrets } from '@lockstep/engine'

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
  /** RabbitMQ URL, for `rabbitmq-publish` and `rabbitmq-message`. */
  readonly rabbitmqUrl?: string
  /** Mail server, for `send-email`: `smtp://user:password@host:587`. */
  readonly mailUrl?: string
  /** Sender of mails that name none. */
  readonly mailFrom?: string
  /**
   * `allow`: private hosts and networks that steps may reach over HTTP, none by default; a text is such a list with commas.
   * `ownDatabase`: whether `sql-query` may run on the engine's own database, true by default.
   */
  readonly outbound?: { readonly allow?: readonly string[]; readonly ownDatabase?: boolean } | string
  /** PostgreSQL URLs that `sql-query` may name; a text has `name=url` in lines or with spaces. @default none */
  readonly connections?: Readonly<Record<string, string>> | string
  /** Whether activity modules are loaded anew when their files change: `on` or `off`. @default 'off' */
  readonly watch?: boolean | string
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
  /** How long ended instances stay, by status: `completed=30d,faulted=90d`. @default completed, cancelled, terminated 30d; faulted 90d */
  readonly retention?: Readonly<Record<string, string | number>> | string
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

/** Options that only code can give. */
export interface CodeOptions {
  /** Where secrets come from that steps name. Asked before the environment. */
  readonly secrets?: Secrets
  /** Set by `readEnvironment`. */
  readonly environmentSecrets?: Secrets
}

/** The environment variable of each option (DESIGN §7). Secrets may also come from a file named by `…_FILE`. */
export const environmentNames = {
  host: 'LOCKSTEP_HOST',
  port: 'LOCKSTEP_PORT',
  basePath: 'LOCKSTEP_BASE_PATH',
  databaseUrl: 'LOCKSTEP_DATABASE_URL',
  dataDir: 'LOCKSTEP_DATA_DIR',
  redisUrl: 'LOCKSTEP_REDIS_URL',
  rabbitmqUrl: 'LOCKSTEP_RABBITMQ_URL',
  mailUrl: 'LOCKSTEP_MAIL_URL',
  mailFrom: 'LOCKSTEP_MAIL_FROM',
  outbound: 'LOCKSTEP_OUTBOUND_ALLOW',
  connections: 'LOCKSTEP_CONNECTIONS',
  watch: 'LOCKSTEP_WATCH',
  redisPrefix: 'LOCKSTEP_REDIS_PREFIX',
  locks: 'LOCKSTEP_LOCKS',
  lockTtlMs: 'LOCKSTEP_LOCK_TTL_MS',
  lockWaitMs: 'LOCKSTEP_LOCK_WAIT_MS',
  scheduler: 'LOCKSTEP_SCHEDULER',
  retention: 'LOCKSTEP_RETENTION',
  nodeName: 'LOCKSTEP_NODE_NAME',
  migrate: 'LOCKSTEP_MIGRATE',
  logLevel: 'LOCKSTEP_LOG_LEVEL',
  heartbeatMs: 'LOCKSTEP_HEARTBEAT_MS',
  nodeTtlMs: 'LOCKSTEP_NODE_TTL_MS',
  concurrency: 'LOCKSTEP_CONCURRENCY',
  drainMs: 'LOCKSTEP_DRAIN_MS',
} as const satisfies Record<keyof RawOptions, string>

export const optionNames = Object.keys(environmentNames) as readonly (keyof RawOptions)[]
