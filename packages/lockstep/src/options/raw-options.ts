import type { Secrets } from '@lockstep/engine'

/** Options as a user gives them: on the command line, in the environment, in a file or to `lockstep({...})`. */
export interface RawOptions {
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Port to listen on; 0 picks a free one. @default 4400 */
  readonly port?: number | string
  /** Path under which everything is served. @default '/' */
  readonly basePath?: string
  /** Who is let in: `none` (loopback only), `keys` (API keys and local users) or `oidc` (tokens too). @default 'none' on loopback, else 'keys' */
  readonly auth?: string
  /** A key that is admin from the beginning: 32 or more random characters. */
  readonly apiKey?: string
  /** 32 or more random bytes, the same on all nodes. @default on loopback, made up once and kept in the store */
  readonly secret?: string
  /** Keys that seal secrets in the store: 32 random bytes each, as base64 or hex, the same on all nodes. The first seals, all open. */
  readonly secretKeys?: string
  /** With `oidc`: as the issuer writes itself in its tokens. */
  readonly oidcIssuer?: string
  /** With `oidc`: what tokens must be meant for. */
  readonly oidcAudience?: string
  /** With `oidc`: ours at the issuer, so that people can sign in to Studio through it. */
  readonly oidcClientId?: string
  /** With `oidcClientId`, where the issuer gave one. */
  readonly oidcClientSecret?: string
  /** Where roles stand in a token; dots lead into objects. @default 'roles' */
  readonly oidcRoleClaim?: string
  /** Where the tenant stands in a token. @default all are of the default tenant */
  readonly oidcTenantClaim?: string
  /** Where people reach the server: https makes its cookies secure. */
  readonly publicUrl?: string
  /** Whether the public address must be https: `on` or `off`. @default 'off' */
  readonly requireHttps?: boolean | string
  /** How many requests each caller may send: `off`, or such as `600/1m`. @default '12000/1m', and 'off' where auth is none */
  readonly rateLimit?: string
  /** Other origins whose pages may use the API; a text has them with commas. @default none */
  readonly corsOrigins?: readonly string[] | string
  /** Proxies whose word on the address of a caller is taken: addresses and networks. @default none */
  readonly trustProxy?: readonly string[] | string
  /** PostgreSQL URL. Absent: the embedded store. */
  readonly databaseUrl?: string
  /** Connections to PostgreSQL that this node pools; two more listen and beat. @default 11 */
  readonly databasePool?: number | string
  /** Which cluster this node is of: keeps clusters apart that share a Redis or a RabbitMQ. A database belongs to one. @default 'lockstep' */
  readonly clusterName?: string
  /** Folder of the embedded store. @default '.lockstep' */
  readonly dataDir?: string
  /** RabbitMQ URL, for `rabbitmq-publish` and `rabbitmq-message`. */
  readonly rabbitmqUrl?: string
  /** Mail server, for `send-email`: `smtp://user:password@host:587`. */
  readonly mailUrl?: string
  /** Sender of mails that name none. */
  readonly mailFrom?: string
  /** `allow`: private hosts and networks that steps may reach over HTTP, none by default; a text is such a list with commas. */
  readonly outbound?: { readonly allow?: readonly string[] } | string
  /**
   * Tenants besides `default` whose steps may use what is configured for steps: connections, private networks, mail server and Redis; a text has
   * them with commas, and `*` is all of them. @default 'default' alone
   */
  readonly outboundTenants?: readonly string[] | string
  /**
   * Whether `sql-query` of the default tenant may run on the engine's own database: `on` or `off`. Whoever may publish workflows there then
   * has all rights of the engine's role: instances, users and the audit log of all tenants. @default 'off'
   */
  readonly sqlOwnDatabase?: boolean | string
  /** PostgreSQL URLs that `sql-query` may name; a text has `name=url` in lines or with spaces. @default none */
  readonly connections?: Readonly<Record<string, string>> | string
  /** Whether activity modules are loaded anew when their files change: `on` or `off`. @default 'off' */
  readonly watch?: boolean | string
  /** Whether answers tell those who may know how long they took, in `Server-Timing`: `on` or `off`. @default 'off', and 'on' with `lockstep dev` */
  readonly serverTiming?: boolean | string
  /** Whether an empty embedded store gets sample workflows that move: `on` or `off`. @default 'off' */
  readonly samples?: boolean | string
  /** Redis URL, for whatever is set to `redis`. */
  readonly redisUrl?: string
  /** Before every key in Redis and every exchange in RabbitMQ. @default 'lockstep', and 'lockstep-<cluster name>' for a cluster with a name of its own */
  readonly redisPrefix?: string
  /** Where locks are kept: `postgres`, `redis` or `memory`. @default 'postgres' with a database URL, else 'memory' */
  readonly locks?: string
  /** What carries wake-ups: `postgres`, `redis`, `rabbitmq` or `memory`. @default 'postgres' with a database URL, else 'memory' */
  readonly bus?: string
  /** Second tier of the caches: `memory` (none) or `redis`. @default 'memory' */
  readonly cache?: string
  /** Whether racing resumes are held back by the locks in Redis before they reach the database: `on` or `off`. @default 'off' */
  readonly gate?: boolean | string
  /** How long a lock lives without renewal. @default 30_000 */
  readonly lockTtlMs?: number | string
  /** How long a caller waits for a lock. @default 30_000 */
  readonly lockWaitMs?: number | string
  /** What this node does: `api`, `worker`, `scheduler`, any of them; a text has them with commas. @default all of them */
  readonly roles?: readonly string[] | string
  /**
   * How nodes with the role `scheduler` fire schedules: `cluster` (all take part), `leader` (one that they elect) or `off` (only on request).
   * @default 'cluster'
   */
  readonly scheduler?: string
  /** How long ended instances stay, by status, what nodes counted, the audit log and dead letters: `completed=30d,metrics=90d,audit=730d`. @default completed, cancelled, terminated, metrics 30d; faulted, dead-letters 90d; audit 400d */
  readonly retention?: Readonly<Record<string, string | number>> | string
  /** Name of this node in lists. @default host name and process id */
  readonly nodeName?: string
  /** Whether this process may change the schema. @default 'auto' */
  readonly migrate?: string
  /** What is logged: a level, and others for areas: `info,locks=debug`. @default 'info' */
  readonly logLevel?: string
  /** Base address of a collector of spans that takes OTLP over HTTP. @default nothing is traced */
  readonly otlpEndpoint?: string
  /** How often a node says that it lives. @default 750 */
  readonly heartbeatMs?: number | string
  /** Silence after which the others bury a node. @default 4 heartbeats */
  readonly nodeTtlMs?: number | string
  /** Instances that this node works on at once. @default 500 */
  readonly concurrency?: number | string
  /** Requests that this node works on at once; others wait or are refused. @default 1_000 */
  readonly requests?: number | string
  /** Lists and objects inside one another in a body. @default 64 */
  readonly bodyDepth?: number | string
  /** Members of all objects of a body together. @default 50_000 */
  readonly bodyMembers?: number | string
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
  auth: 'LOCKSTEP_AUTH',
  apiKey: 'LOCKSTEP_API_KEY',
  secret: 'LOCKSTEP_SECRET',
  secretKeys: 'LOCKSTEP_SECRET_KEYS',
  oidcIssuer: 'LOCKSTEP_OIDC_ISSUER',
  oidcAudience: 'LOCKSTEP_OIDC_AUDIENCE',
  oidcClientId: 'LOCKSTEP_OIDC_CLIENT_ID',
  oidcClientSecret: 'LOCKSTEP_OIDC_CLIENT_SECRET',
  oidcRoleClaim: 'LOCKSTEP_OIDC_ROLE_CLAIM',
  oidcTenantClaim: 'LOCKSTEP_OIDC_TENANT_CLAIM',
  publicUrl: 'LOCKSTEP_PUBLIC_URL',
  requireHttps: 'LOCKSTEP_REQUIRE_HTTPS',
  rateLimit: 'LOCKSTEP_RATE_LIMIT',
  corsOrigins: 'LOCKSTEP_CORS_ORIGINS',
  trustProxy: 'LOCKSTEP_TRUST_PROXY',
  databaseUrl: 'LOCKSTEP_DATABASE_URL',
  databasePool: 'LOCKSTEP_DATABASE_POOL',
  clusterName: 'LOCKSTEP_CLUSTER_NAME',
  dataDir: 'LOCKSTEP_DATA_DIR',
  redisUrl: 'LOCKSTEP_REDIS_URL',
  rabbitmqUrl: 'LOCKSTEP_RABBITMQ_URL',
  mailUrl: 'LOCKSTEP_MAIL_URL',
  mailFrom: 'LOCKSTEP_MAIL_FROM',
  outbound: 'LOCKSTEP_OUTBOUND_ALLOW',
  outboundTenants: 'LOCKSTEP_OUTBOUND_TENANTS',
  sqlOwnDatabase: 'LOCKSTEP_SQL_OWN_DATABASE',
  connections: 'LOCKSTEP_CONNECTIONS',
  watch: 'LOCKSTEP_WATCH',
  samples: 'LOCKSTEP_SAMPLES',
  serverTiming: 'LOCKSTEP_SERVER_TIMING',
  redisPrefix: 'LOCKSTEP_REDIS_PREFIX',
  locks: 'LOCKSTEP_LOCKS',
  bus: 'LOCKSTEP_BUS',
  cache: 'LOCKSTEP_CACHE',
  gate: 'LOCKSTEP_GATE',
  lockTtlMs: 'LOCKSTEP_LOCK_TTL_MS',
  lockWaitMs: 'LOCKSTEP_LOCK_WAIT_MS',
  roles: 'LOCKSTEP_ROLES',
  scheduler: 'LOCKSTEP_SCHEDULER',
  retention: 'LOCKSTEP_RETENTION',
  nodeName: 'LOCKSTEP_NODE_NAME',
  migrate: 'LOCKSTEP_MIGRATE',
  logLevel: 'LOCKSTEP_LOG_LEVEL',
  otlpEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  heartbeatMs: 'LOCKSTEP_HEARTBEAT_MS',
  nodeTtlMs: 'LOCKSTEP_NODE_TTL_MS',
  concurrency: 'LOCKSTEP_CONCURRENCY',
  requests: 'LOCKSTEP_REQUESTS',
  bodyDepth: 'LOCKSTEP_BODY_DEPTH',
  bodyMembers: 'LOCKSTEP_BODY_MEMBERS',
  drainMs: 'LOCKSTEP_DRAIN_MS',
} as const satisfies Record<keyof RawOptions, string>

export const optionNames = Object.keys(environmentNames) as readonly (keyof RawOptions)[]
