/** A node with everything that activities can talk to, each of it real, reached as a user would: over HTTP. */
import { type JsonObject, type LogFields, type Logger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase, startRabbitmq, startRedis } from '@lockstep/testing/harness'
import { createClient } from '@redis/client'
import { resolveNodeOptions, startNode } from 'lockstep'
import { Connection } from 'rabbitmq-client'
import { inject } from 'vitest'
import { type HttpSink, openHttpSink } from '../activities/http-sink.ts'
import { type MailServer, openMailServer } from './mail-server.ts'

export const SECRETS: Readonly<Record<string, string>> = {
  'billing-token': 'not-a-real-token',
  'partner-key': 'sixteen bytes or more',
}

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: LogFields | undefined
}

export interface ActivitySite extends AsyncDisposable {
  readonly http: HttpSink
  readonly mail: MailServer
  readonly rabbitmq: Connection
  readonly log: readonly LogLine[]
  /** Listens to a channel of Redis. */
  listen(channel: string): Promise<readonly string[]>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>
}

export async function openActivitySite(): Promise<ActivitySite> {
  const [redis, broker, database] = await Promise.all([
    startRedis({ quiet: true }),
    startRabbitmq({ quiet: true }),
    cloneDatabase(inject('postgres')),
  ])
  const [http, mail] = [await openHttpSink(), await openMailServer()]
  const rabbitmq = new Connection({ url: broker.url })
  rabbitmq.on('error', () => {})
  const { log, logger } = kept()
  const options = resolveNodeOptions({
    ...{ databaseUrl: database.url, port: 0, redisUrl: redis.url, rabbitmqUrl: broker.url },
    ...{
      mailUrl: mail.url,
      mailFrom: 'Shop <shop@example.org>',
      outbound: { allow: ['127.0.0.1'] },
      sqlOwnDatabase: true,
    },
    secrets: async (name) => SECRETS[name],
  })
  const node = await startNode(options, { clock: systemClock, random: systemRandom, logger })
  const listeners: { destroy(): void }[] = []
  return {
    ...{ http, mail, rabbitmq, log },
    listen: async (channel) => {
      const client = createClient({ url: redis.url })
      client.on('error', () => {})
      await client.connect()
      listeners.push(client)
      const heard: string[] = []
      await client.subscribe(channel, (message) => void heard.push(message))
      return heard
    },
    call: (method, path, body) => call(`${node.url}${path}`, method, body),
    [Symbol.asyncDispose]: async () => {
      for (const listener of listeners) listener.destroy()
      await node.stop()
      await rabbitmq.close()
      await Promise.all([mail.close(), http[Symbol.asyncDispose](), redis.stop(), broker.stop(), database.drop()])
    },
  }
}

async function call(url: string, method: string, body: unknown) {
  const isText = typeof body === 'string'
  const type = { 'content-type': isText ? 'application/yaml' : 'application/json' }
  const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body), headers: type }
  const answer = await fetch(url, { method, ...sent })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as JsonObject) }
}

function kept(): { readonly log: LogLine[]; readonly logger: Logger } {
  const log: LogLine[] = []
  const note = (level: string) => (message: string, fields?: LogFields) => void log.push({ level, message, fields })
  const logger: Logger = {
    ...{ debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    area: () => logger,
  }
  return { log, logger }
}
