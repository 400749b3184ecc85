import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type JsonObject, type LogFields, type Logger, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { DeadLetters, Engine, trimDeadLetters } from '@lockstep/engine'
import { openPostgres, postgresDeadLetters, postgresEngineStore } from '@lockstep/postgres'
import { type Rabbitmq, rabbitmq } from '@lockstep/rabbitmq'
import { redisPublisher } from '@lockstep/redis'
import { cloneDatabase, type ServerHandle, startRabbitmq, startRedis } from '@lockstep/testing/harness'
import { Connection } from 'rabbitmq-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { MessageTriggers } from '../../packages/lockstep/src/message-trigger/message-triggers.ts'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'
import { nodeProgram } from '../setup/bundle-nodes.ts'
import { oneStep, retried } from './one-step.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

describe('redis-publish', () => {
  it('publishes, waits for a server that is away, and says what is missing', async () => {
    const server = await startRedis({ quiet: true })
    const redis = redisPublisher({ url: server.url, connectGraceMs: 100, silenceMs: 500 })
    {
      await using t = await openTestEngine({ outbound: { redis } })
      await t.publish(
        oneStep('tell', 'redis-publish', { channel: 'news', message: { $expr: 'input' } }, retried(1_000)),
      )
      expect(await t.run('tell', { a: 1 })).toMatchObject({ output: { output: { receivers: 0 } } })
      await server.kill9()
      const { instanceId } = await t.engine.start({ definitionId: 'tell', input: 'x' })
      const retries = async () => (await t.engine.journal(instanceId)).filter(({ kind }) => kind === 'retrying')
      await until('it was tried twice', async () => (await retries()).length >= 2)
      expect((await retries())[0]).toMatchObject({ data: { error: { code: 'BROKER_UNAVAILABLE' } } })
      await server.start()
      expect(await t.engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ status: 'completed' })
    }
    await redis.close()
    await server.stop()
    await using bare = await openTestEngine()
    await bare.publish(oneStep('tell', 'redis-publish', { channel: 'news', message: 1 }))
    expect(await bare.run('tell')).toMatchObject({ output: { error: { code: 'OUTBOUND_NOT_CONFIGURED' } } })
  })
})

describe('RabbitMQ', () => {
  let server: ServerHandle
  let admin: Connection
  let broker: Rabbitmq
  beforeAll(async () => {
    server = await startRabbitmq({ quiet: true })
    // Without an upper bound of its own it may rest for half a minute after the server is back, longer than a call waits for it.
    admin = new Connection({ url: server.url, retryLow: 50, retryHigh: 500, acquireTimeout: 60_000 })
    admin.on('error', () => {})
  })
  afterAll(async () => {
    await admin?.close()
    await server?.stop()
  })
  beforeEach(() => {
    broker = rabbitmq({ url: server.url, retryMs: 50 })
  })
  afterEach(() => broker.close())

  const declare = (queue: string, more: object = {}) => admin.queueDeclare({ queue, durable: true, ...more })
  const send = async (queue: string, body: string, messageId?: string, more: object = {}) => {
    const message = { exchange: '', routingKey: queue, body: Buffer.from(body), persistent: true, mandatory: false }
    const sent = await broker.publish({ ...message, contentType: 'application/json', messageId, ...more })
    expect(sent).toEqual({ status: 'confirmed' })
  }
  const counted = async (queue: string) => (await admin.queueDeclare({ queue, passive: true })).messageCount
  const instances = async (t: TestEngine, definitionId: string) => t.engine.list({ definitionId }, 100)

  it('rabbitmq-publish waits for the confirmation, through kill -9 of the server', async () => {
    await declare('out')
    await using t = await openTestEngine({ outbound: { rabbitmq: broker } })
    const inputs = { routingKey: 'out', message: { $expr: 'input' }, headers: { kind: 'test' } }
    await t.publish(oneStep('tell', 'rabbitmq-publish', inputs, retried(1_000)))
    const { output, instanceId } = await t.run('tell', { n: 1 })
    expect(output).toEqual({ output: { messageId: `${instanceId}:do` } })
    const got = await admin.basicGet({ queue: 'out', noAck: true })
    expect(got).toMatchObject({
      messageId: `${instanceId}:do`,
      headers: { kind: 'test' },
      body: { n: 1 },
      deliveryMode: 2,
    })
    await server.kill9()
    const late = await t.engine.start({ definitionId: 'tell', input: { n: 2 } })
    await server.start()
    expect(await t.engine.waitForEnd(late.instanceId, { limitMs: 90_000 })).toMatchObject({ status: 'completed' })
    // A server that was killed may have forgotten that the first one was taken: what counts is that the second one is there.
    const taken = async () => (await admin.basicGet({ queue: 'out', noAck: true }))?.messageId
    await until('the second one is there', async () => (await taken()) === `${late.instanceId}:do`, 60_000)
  })

  it('rabbitmq-publish is for every tenant: the broker is one for all of them', async () => {
    await declare('of-all')
    await using t = await openTestEngine({ outbound: { rabbitmq: broker } })
    await t.engine.definitions.create('acme', oneStep('tell', 'rabbitmq-publish', { routingKey: 'of-all', message: 1 }))
    await t.engine.definitions.publish('acme', 'tell')
    const { instanceId } = await t.engine.start({ tenant: 'acme', definitionId: 'tell' })
    expect(await t.engine.waitForEnd(instanceId, { tenant: 'acme', limitMs: 60_000 })).toMatchObject({
      output: { output: { messageId: `${instanceId}:do` } },
    })
  })

  it('rabbitmq-publish fails clearly where repeating is of no use', async () => {
    await using t = await openTestEngine({ outbound: { rabbitmq: broker } })
    await t.publish(oneStep('lost', 'rabbitmq-publish', { routingKey: 'no-such-queue', message: 1 }))
    expect(await t.run('lost')).toMatchObject({
      output: { error: { code: 'BROKER_REFUSED', message: expect.stringContaining('no queue takes') } },
    })
    await t.publish(oneStep('fan', 'rabbitmq-publish', { exchange: 'no-such-exchange', routingKey: '', message: 1 }))
    expect(await t.run('fan')).toMatchObject({ output: { error: { code: 'BROKER_REFUSED' } } })
  })

  const document = (id: string, inputs: JsonObject, input: JsonObject = { type: 'object', required: ['n'] }) => ({
    id,
    input,
    activities: [
      { id: 'on', type: 'rabbitmq-message', inputs },
      { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'input' } } },
    ],
    connections: [{ from: 'on', to: 'out' }],
  })
  const logging = () => {
    const lines: { readonly message: string; readonly fields: LogFields | undefined }[] = []
    const note = (message: string, fields?: LogFields) => void lines.push({ message, fields })
    const logger: Logger = { debug: note, info: note, warn: note, error: note, area: () => logger }
    return { lines, logger }
  }
  const triggersOf = (t: TestEngine, logger: Logger = silentLogger, letters = postgresDeadLetters(t.db)) => {
    const triggers = new MessageTriggers({
      ...edge,
      logger,
      engine: t.engine,
      rabbitmq: broker,
      letters,
      lookMs: 50,
      laterMs: 50,
    })
    triggers.run()
    return triggers
  }

  it('rabbitmq-message starts workflows of every tenant, each in its own', async () => {
    await declare('shared')
    await declare('only-west')
    await using t = await openTestEngine()
    const { definitions } = t.engine
    const publishIn = async (tenant: string, queue: string) => {
      await definitions.create(tenant, document('order', { queue }))
      await definitions.publish(tenant, 'order')
    }
    await publishIn('default', 'shared')
    await publishIn('east', 'shared')
    await publishIn('west', 'only-west')
    const triggers = triggersOf(t)
    await send('shared', '{"n":1}', 'a')
    await send('only-west', '{"n":2}', 'a')
    for (const queue of ['shared', 'only-west'])
      await until(`${queue} is empty`, async () => (await counted(queue)) === 0)
    await triggers.close()
    const inputs = async (tenant: string) => {
      const found = await t.engine.list({ definitionId: 'order' }, 100, tenant)
      return Promise.all(found.map(async ({ id }) => (await t.engine.get(id, tenant)).input))
    }
    expect(await Promise.all(['default', 'east', 'west'].map(inputs))).toEqual([[{ n: 1 }], [{ n: 1 }], [{ n: 2 }]])
  })

  it('rabbitmq-message starts an instance per message, once per message id', async () => {
    await declare('orders')
    await using t = await openTestEngine()
    await t.publish(document('order', { queue: 'orders' }))
    await t.publish(document('audit', { queue: 'orders', input: 'envelope' }, { type: 'object', required: ['body'] }))
    const triggers = triggersOf(t)
    for (const id of ['a', 'b', 'a'])
      await send('orders', '{"n":1}', id, { correlationId: `c-${id}`, headers: { h: 1 } })
    await until('the queue is empty', async () => (await counted('orders')) === 0)
    await triggers.close()
    const orders = await instances(t, 'order')
    expect(orders).toHaveLength(2)
    expect(orders.map(({ correlationId }) => correlationId).sort()).toEqual(['c-a', 'c-b'])
    const [audit] = await instances(t, 'audit')
    expect(await t.engine.waitForEnd(audit!.id, { limitMs: 60_000 })).toMatchObject({
      output: { got: { body: { n: 1 }, headers: { h: 1 }, queue: 'orders', exchange: '', routingKey: 'orders' } },
    })
    await t.engine.definitions.retract('default', 'order')
  })

  it('rabbitmq-message follows what is published and retracted', async () => {
    await declare('followed')
    await using t = await openTestEngine()
    const triggers = triggersOf(t)
    await send('followed', '{"n":1}', 'x')
    await t.publish(document('follow', { queue: 'followed' }))
    await until('it has started', async () => (await instances(t, 'follow')).length === 1)
    await t.engine.definitions.retract('default', 'follow')
    await until(
      'nobody reads any more',
      async () => (await admin.queueDeclare({ queue: 'followed', passive: true })).consumerCount === 0,
    )
    await send('followed', '{"n":2}', 'y')
    expect(await counted('followed')).toBe(1)
    await triggers.close()
    expect(await instances(t, 'follow')).toHaveLength(1)
  })

  it('rabbitmq-message puts poison aside and says so', async () => {
    await declare('dead')
    await declare('rejected')
    await declare('poisoned')
    await declare('kept', { arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'rejected' } })
    await using t = await openTestEngine()
    await t.publish(document('named', { queue: 'poisoned', deadLetterQueue: 'dead' }))
    await t.publish(document('plain', { queue: 'kept' }))
    await t.publish(document('easy', { queue: 'kept' }, {}))
    const { lines, logger } = logging()
    const store = postgresDeadLetters(t.db)
    let refusals = 2
    const put: typeof store.put = async (letter) => {
      if (refusals-- > 0) throw new Error('the store is away')
      return store.put(letter)
    }
    const triggers = triggersOf(t, logger, { ...store, put })
    for (const queue of ['poisoned', 'kept']) {
      await send(queue, '{"wrong":1}', 'schema')
      await send(queue, '{broken', 'syntax')
      await send(queue, JSON.stringify({ n: 'x'.repeat(1_100_000) }), 'size')
      await send(queue, '{"n":1}', 'good')
    }
    await send('kept', `"${'y'.repeat(8 * 1_048_576)}"`, 'huge')
    const list = () => store.list({ tenant: 'default', before: undefined, limit: 100 })
    await until('the named queue has its poison', async () => (await counted('dead')) === 3)
    // "easy" takes whatever can be read and is not too large.
    await until('the others are kept', async () => (await list()).length === 5)
    await until('what is too large for that goes the way of the broker', async () => (await counted('rejected')) === 1)
    await until(
      'the good ones started',
      async () => (await instances(t, 'named')).length + (await instances(t, 'plain')).length === 2,
    )
    await until('nothing is left', async () => (await counted('kept')) === 0)
    await triggers.close()
    const letter = await admin.basicGet('dead')
    expect(letter!.headers).toMatchObject({ 'x-lockstep-queue': 'poisoned', 'x-lockstep-definition': 'named' })
    expect((await list()).map(({ definitionId, code, source }) => [definitionId, code, source]).sort()).toEqual([
      ['easy', 'PAYLOAD_TOO_LARGE', 'rabbitmq:kept'],
      ['easy', 'UNREADABLE', 'rabbitmq:kept'],
      ['plain', 'INPUT_INVALID', 'rabbitmq:kept'],
      ['plain', 'PAYLOAD_TOO_LARGE', 'rabbitmq:kept'],
      ['plain', 'UNREADABLE', 'rabbitmq:kept'],
    ])
    expect(lines.filter(({ message }) => message.includes('went to the dead letters')).length).toBeGreaterThanOrEqual(8)
    expect(lines.filter(({ message }) => message.includes('could not be put away'))).toHaveLength(2)
    expect(lines.filter(({ message }) => message.includes('too large to be kept'))).toHaveLength(1)
    const codes = lines.flatMap(({ fields }) => (fields?.code === undefined ? [] : [String(fields.code)]))
    expect([...new Set(codes)].sort()).toEqual(['INPUT_INVALID', 'PAYLOAD_TOO_LARGE', 'UNREADABLE'])
    expect(JSON.stringify(lines)).not.toContain('xxxxxxxxxx')
  })

  it('dead letters start their workflow once mended, and once however often the message came', async () => {
    await declare('mended')
    await using t = await openTestEngine()
    await t.publish(document('mend', { queue: 'mended' }))
    const store = postgresDeadLetters(t.db)
    const letters = new DeadLetters({ store, start: (request) => t.engine.start(request) })
    const list = () => letters.list({ tenant: 'default', before: undefined, limit: 100 })
    const triggers = triggersOf(t)
    for (const _ of [1, 2]) await send('mended', '{"wrong":1}', 'twice')
    await send('mended', '{broken', 'syntax')
    await until('two letters are kept', async () => (await list()).length === 2 && (await counted('mended')) === 0)
    await triggers.close()
    const wrong = (await list()).find(({ code }) => code === 'INPUT_INVALID')!
    const unread = (await list()).find(({ code }) => code === 'UNREADABLE')!
    expect(await letters.read('default', wrong.id)).toMatchObject({ input: { wrong: 1 } })
    expect(Buffer.from((await letters.read('default', unread.id)).raw!).toString()).toBe('{broken')
    await expect(letters.retry('default', wrong.id)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(letters.retry('default', unread.id)).rejects.toMatchObject({ code: 'DEAD_LETTER_UNREADABLE' })
    await expect(letters.retry('other', wrong.id, { n: 1 })).rejects.toMatchObject({ code: 'DEAD_LETTER_NOT_FOUND' })
    expect(await list()).toHaveLength(2)
    const started = await Promise.allSettled([1, 2].map(() => letters.retry('default', wrong.id, { n: 1 })))
    expect(started.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect(await instances(t, 'mend')).toHaveLength(1)
    await letters.discard('default', unread.id)
    await expect(letters.discard('default', unread.id)).rejects.toMatchObject({ code: 'DEAD_LETTER_NOT_FOUND' })
    expect(await list()).toEqual([])
  })

  it('dead letters are let go when their time is over', async () => {
    await using t = await openTestEngine()
    const store = postgresDeadLetters(t.db)
    const letter = { tenant: 'default', definitionId: 'd', source: 'rabbitmq:q', code: 'C', reason: 'r' }
    const keys = { dedupeKey: undefined, correlationId: undefined }
    for (const n of [1, 2, 3])
      await store.put({ ...letter, ...keys, id: `01900000-0000-7000-8000-00000000000${n}`, input: null })
    expect(await trimDeadLetters(store, '1h').run(new AbortController().signal)).toEqual({
      more: false,
      figures: { rows: 0 },
    })
    expect(await trimDeadLetters(store, 'forever').run(new AbortController().signal)).toMatchObject({
      figures: { rows: 0 },
    })
    await t.db.script(`update dead_letter set arrived_at = arrived_at - interval '2 hours' where id::text like '%2'`)
    expect(await trimDeadLetters(store, '1h').run(new AbortController().signal)).toMatchObject({ figures: { rows: 1 } })
    const left = await store.list({ tenant: 'default', before: undefined, limit: 9 })
    expect(left.map(({ id }) => id.at(-1))).toEqual(['3', '1'])
    expect(await store.find('default', left[0]!.id)).toMatchObject({ input: null })
  })

  it('rabbitmq-message survives kill -9 of nodes and of the server: each message starts one instance', async () => {
    await declare('busy')
    const database = await cloneDatabase(inject('postgres'))
    const db = await openPostgres({ url: database.url, ...edge })
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), heartbeatMs: 60, ttlMs: 300 })
    await engine.definitions.create('default', document('busy', { queue: 'busy' }))
    await engine.definitions.publish('default', 'busy')
    const nodes: ReturnType<typeof fork>[] = []
    const open = async (dieAfter?: number) => {
      const options = JSON.stringify({ databaseUrl: database.url, rabbitmqUrl: server.url, dieAfter })
      const node = fork(nodeProgram(new URL('./message-node.mjs', import.meta.url)), [options], { execArgv: [] })
      nodes.push(node)
      await once(node, 'message')
      return node
    }
    try {
      const count = 40
      for (let n = 0; n < count; n += 1) await send('busy', JSON.stringify({ n }), `m-${n}`)
      const first = await open(7)
      await once(first, 'exit')
      const second = await open(5)
      await once(second, 'exit')
      await server.kill9()
      await server.start()
      await open()
      await until('all have started', async () => (await engine.list({ definitionId: 'busy' }, 100)).length >= count)
      await until('the queue is empty', async () => (await counted('busy')) === 0)
      const started = await engine.list({ definitionId: 'busy' }, 100)
      expect(started).toHaveLength(count)
      await until(
        'all have ended',
        async () => (await engine.list({ definitionId: 'busy', status: 'completed' }, 100)).length === count,
      )
      expect(new Set(started.map(({ input }) => (input as { n: number }).n)).size).toBe(count)
    } finally {
      for (const node of nodes) node.kill('SIGKILL')
      await engine.close(500)
      await db.close()
      await database.drop()
    }
  })
})
