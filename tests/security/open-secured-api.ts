import { randomBytes } from 'node:crypto'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator, memoryProvider } from '@lockstep/coordination'
import { DeadLetters, type Engine, parseSecretKeys, SecretVault } from '@lockstep/engine'
import {
  type Db,
  postgresAccess,
  postgresBrowse,
  postgresDeadLetters,
  postgresIdempotency,
  postgresSecrets,
} from '@lockstep/postgres'
import type { AccessOptions, HttpServerOptions } from '@lockstep/server'
import type { FastifyInstance } from 'fastify'
import { httpApp } from '../../packages/server/src/http-server.ts'
import { openTestEngine } from '../engine/open-test-engine.ts'

export const BOOTSTRAP_KEY = 'the-first-key-of-this-test-0123456789'
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD'
  /** Behind `/api/v1`. */
  readonly path: string
  /** Sent as bearer token. */
  readonly as?: string | undefined
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Address that it comes from. @default 127.0.0.1 */
  readonly from?: string
}

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  readonly body: any
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The whole server but its socket, over a real engine on a database of its own, closed to strangers. */
export interface SecuredApi extends AsyncDisposable {
  readonly engine: Engine
  readonly db: Db
  readonly app: FastifyInstance
  send(sent: Sent): Promise<Told>
  /** A key of this role, made by the first one. */
  keyOf(role: string, more?: object): Promise<string>
}

export async function openSecuredApi(
  more: Partial<AccessOptions> = {},
  site: Partial<HttpServerOptions> = {},
): Promise<SecuredApi> {
  const opened = await openTestEngine()
  const { engine, db } = opened
  const locks: Coordinator = coordinator({ ...edge, provider: memoryProvider(edge), ownsProvider: true, name: 'test' })
  const app = await securedApp(engine, db, more, () => locks, site)
  return {
    engine,
    db,
    app,
    send: (sent) => sendTo(app, sent),
    keyOf: async (role, given = {}) => {
      const body = { name: `of a ${role}`, role, ...given }
      const { status, body: made } = await sendTo(app, { method: 'POST', path: '/api-keys', as: BOOTSTRAP_KEY, body })
      if (status !== 201) throw new Error(JSON.stringify(made))
      return made.key
    },
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await locks.close()
      await opened[Symbol.asyncDispose]()
    },
  }
}

/** One server among several on a store. */
export const securedApp = (
  engine: Engine,
  db: Db,
  more: Partial<AccessOptions> = {},
  locks?: () => Coordinator,
  site: Partial<HttpServerOptions> = {},
): Promise<FastifyInstance> =>
  httpApp({
    ...edge,
    basePath: '',
    engine,
    browse: postgresBrowse(db),
    idempotency: postgresIdempotency(db),
    ...(locks && { locks }),
    secrets: new SecretVault({
      ...edge,
      store: postgresSecrets(db),
      keys: parseSecretKeys(randomBytes(32).toString('hex')),
    }),
    deadLetters: new DeadLetters({ store: postgresDeadLetters(db), start: (request) => engine.start(request) }),
    health: { started: () => true, ready: async () => [] },
    access: {
      auth: 'keys',
      store: postgresAccess(db),
      secret: 'of this test, and of no other',
      bootstrapKey: BOOTSTRAP_KEY,
      nodeName: 'test',
      passwordCost: 10,
      ...more,
    },
    ...site,
  })

export async function sendTo(
  app: FastifyInstance,
  { method = 'GET', path, as, body, raw, headers, from }: Sent,
): Promise<Told> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await app.inject({
    method,
    url: `/api/v1${path}`,
    ...(from === undefined ? {} : { remoteAddress: from }),
    ...(payload === undefined ? {} : { payload }),
    headers: {
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
      ...headers,
    },
  })
  const type = String(answer.headers['content-type'] ?? '')
  const told = /json/.test(type) && answer.body !== '' ? answer.json() : answer.body
  return { status: answer.statusCode, body: told, headers: answer.headers as Told['headers'] }
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** What an answer says, but for the name that each request has to itself. */
export const told = ({ body: { requestId: _, instance: __, ...rest } }: Told): string => JSON.stringify(rest)

/** Tries until it is told to come back later, and answers the last one. Ten may come at once; on a slow machine some come back while others are tried. */
export async function untilLimited<T>(tryOnce: (n: number) => Promise<T>, statusOf: (answer: T) => number): Promise<T> {
  let last = await tryOnce(0)
  for (let n = 1; n < 60 && statusOf(last) !== 429; n += 1) last = await tryOnce(n)
  return last
}
