import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, type EngineOptions } from '@lockstep/engine'
import {
  type Db,
  type Lane,
  openPostgres,
  postgresBrowse,
  postgresEngineStore,
  postgresIdempotency,
} from '@lockstep/postgres'
import { type HttpServer, openHttpServer } from '@lockstep/server'
import { cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'

export const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
export type Told = { readonly status: number; readonly headers: Headers; readonly body: any }

/** A node with its server, whose reads of the database are counted. */
export interface CacheNode {
  readonly engine: Engine
  /** Statements of the lane that readers use, so far. */
  readonly queries: () => number
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Told>
}

export interface CacheSite extends AsyncDisposable {
  readonly nodes: readonly CacheNode[]
  /** Of the first node. */
  publish(document: { readonly id: string } & object): Promise<void>
}

/** Nodes on one database. No bus between them unless `options` bring one: what they know they have looked up. */
export async function openCacheSite(options: readonly Partial<EngineOptions>[]): Promise<CacheSite> {
  const database = await cloneDatabase(inject('postgres'))
  const opened: { readonly db: Db; readonly engine: Engine; readonly server: HttpServer; readonly node: CacheNode }[] =
    []
  for (const [at, more] of options.entries()) {
    const plain = await openPostgres({ url: database.url, ...edge })
    const { db, queries } = counting(plain)
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), name: `n${at}`, pollMs: 500, ...more })
    const server = await openHttpServer({
      ...edge,
      host: '127.0.0.1',
      port: 0,
      basePath: '',
      health: { started: () => true, ready: async () => [] },
      engine,
      browse: postgresBrowse(plain),
      idempotency: postgresIdempotency(plain),
    })
    opened.push({ db: plain, engine, server, node: { engine, queries, ask: askOf(server) } })
  }
  const { definitions } = opened[0]!.engine
  return {
    nodes: opened.map(({ node }) => node),
    publish: async (document) => {
      await definitions.create('default', document as never)
      await definitions.publish('default', document.id)
    },
    [Symbol.asyncDispose]: async () => {
      for (const { server, engine, db } of opened) {
        await server.close()
        await engine.close(1_000)
        await db.close()
      }
      await database.drop()
    },
  }
}

const COUNTED = new Set(['one', 'maybeOne', 'many', 'run'])

function counting(db: Db): { readonly db: Db; readonly queries: () => number } {
  let count = 0
  const counted = (lane: Lane): Lane =>
    new Proxy(lane, {
      get(target, key) {
        const value = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (COUNTED.has(String(key))) count += 1
          return value.apply(target, given)
        }
      },
    })
  return {
    db: { ...db, lane: (name) => (name === 'api' ? counted(db.lane(name)) : db.lane(name)) },
    queries: () => count,
  }
}

function askOf(server: HttpServer): CacheNode['ask'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
}
