import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { deferred } from '@lockstep/base'
import { type ServerHandle, startRabbitmq } from '@lockstep/testing/harness'
import { Connection } from 'rabbitmq-client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Disposition, type OutgoingMessage, type Rabbitmq, type ReceivedMessage, rabbitmq } from '../src/index.ts'

let server: ServerHandle
let admin: Connection
beforeAll(async () => {
  server = await startRabbitmq({ quiet: true })
  admin = new Connection({ url: server.url, retryLow: 100 })
  admin.on('error', () => {})
})
afterAll(async () => {
  await admin?.close()
  await server?.stop()
})

const open = (patienceMs = 5_000): Rabbitmq => rabbitmq({ url: server.url, patienceMs, retryMs: 50 })
const message = (routingKey: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  exchange: '',
  routingKey,
  body: Buffer.from('{"n":1}'),
  contentType: 'application/json',
  persistent: true,
  messageId: 'm-1',
  mandatory: true,
  ...more,
})
const queue = async (name: string, more: object = {}): Promise<string> => {
  await admin.queueDeclare({ queue: name, durable: true, ...more })
  return name
}
/** Whether the server has written down that this queue exists. */
function isOnDisk(name: string): boolean {
  const folder = path.join(server.folder!, 'mnesia')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const told = files.filter((each) => /(^|\/)((LATEST|PREVIOUS)\.LOG|rabbit_durable_queue\.DC[DL])$/.test(each))
  return told.some((file) => readFileSync(path.join(folder, file)).includes(name))
}
/** Hands out messages one by one. */
function reader(broker: Rabbitmq, from: string, decide: (message: ReceivedMessage) => Disposition = () => 'ack') {
  const got: ReceivedMessage[] = []
  const waiting: { count: number; done: () => void }[] = []
  const consumption = broker.consume({ queue: from }, async (each) => {
    got.push(each)
    for (const { count, done } of waiting) if (got.length >= count) done()
    return decide(each)
  })
  return {
    got,
    close: () => consumption.close(),
    async until(count: number) {
      const reached = deferred<void>()
      waiting.push({ count, done: () => reached.resolve() })
      if (got.length >= count) reached.resolve()
      await reached.promise
    },
  }
}

describe('messages over RabbitMQ', () => {
  it('arrive as they were sent', async () => {
    await using broker = open()
    await queue('plain')
    const sent = message('plain', { headers: { 'x-a': 'b', n: 2 }, correlationId: 'c-1' })
    expect(await broker.publish(sent)).toEqual({ status: 'confirmed' })
    const inbox = reader(broker, 'plain')
    await inbox.until(1)
    expect(inbox.got).toMatchObject([
      {
        ...{ queue: 'plain', exchange: '', routingKey: 'plain', messageId: 'm-1', correlationId: 'c-1' },
        ...{ headers: { 'x-a': 'b', n: 2 }, redelivered: false, body: { value: { n: 1 } } },
      },
    ])
    await inbox.close()
  })

  it('are told apart: taken, taken by no queue, refused', async () => {
    await using broker = open()
    expect(await broker.publish(message('nobody'))).toEqual({ status: 'unroutable' })
    expect(await broker.publish(message('nobody', { mandatory: false }))).toEqual({ status: 'confirmed' })
    const alike = await Promise.all([1, 2, 3].map(() => broker.publish(message('nobody'))))
    expect(alike).toEqual([1, 2, 3].map(() => ({ status: 'unroutable' })))
    const refused = await broker.publish(message('x', { exchange: 'no-such-exchange' }))
    expect(refused).toMatchObject({ status: 'refused', reason: expect.stringContaining('no-such-exchange') })
    // Another exchange has a channel of its own, and the same one gets a new channel.
    await queue('after')
    expect(await broker.publish(message('after'))).toEqual({ status: 'confirmed' })
    expect(await broker.publish(message('x', { exchange: 'no-such-exchange' }))).toMatchObject({ status: 'refused' })
  })

  it('come again until they are acknowledged, and go to the dead letters when they are rejected', async () => {
    await using broker = open()
    await queue('dead')
    await queue('work', { arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' } })
    await broker.publish(message('work'))
    let count = 0
    const work = reader(broker, 'work', () => (++count === 1 ? 'requeue' : 'reject'))
    const dead = reader(broker, 'dead')
    await dead.until(1)
    expect(work.got.map(({ redelivered }) => redelivered)).toEqual([false, true])
    expect(dead.got[0]).toMatchObject({ messageId: 'm-1', body: { value: { n: 1 } } })
  })

  it('survive kill -9 of the server once they are confirmed, and flow again by themselves', async () => {
    await using broker = open()
    await queue('kept')
    // The server confirms a queue up to two seconds before it is on its disk: one that is killed meanwhile does not know it any more.
    await vi.waitFor(() => expect(isOnDisk('kept')).toBe(true), { timeout: 20_000, interval: 50 })
    expect(await broker.publish(message('kept', { messageId: 'before' }))).toEqual({ status: 'confirmed' })
    const hasOne = deferred<void>()
    const proceed = deferred<void>()
    const seen: string[] = []
    const acked = deferred<void>()
    const consumption = broker.consume({ queue: 'kept' }, async ({ messageId, redelivered }) => {
      seen.push(`${messageId}${redelivered ? ' again' : ''}`)
      if (seen.length === 1) {
        hasOne.resolve()
        await proceed.promise // the server dies meanwhile: this acknowledgement is lost
      }
      if (messageId === 'after') acked.resolve()
      return 'ack'
    })
    await hasOne.promise
    await server.kill9()
    const away = open(200)
    expect(await away.publish(message('kept'))).toMatchObject({ status: 'unavailable' })
    await away.close()
    proceed.resolve()
    await server.start()
    for (;;) {
      const result = await broker.publish(message('kept', { messageId: 'after' }))
      if (result.status === 'confirmed') break
      expect(result.status).toBe('unavailable')
    }
    await acked.promise
    expect(seen[0]).toBe('before')
    // That it was handed out once, the server may have forgotten when it died.
    expect(seen.slice(1).filter((each) => each.startsWith('before'))).not.toEqual([])
    await consumption.close()
  })

  it('wait for a queue that is not there yet', async () => {
    await using broker = open()
    const inbox = reader(broker, 'later')
    await queue('later')
    await broker.publish(message('later'))
    await inbox.until(1)
    expect(inbox.got).toHaveLength(1)
  })

  it('are given up when nobody wants them any more', async () => {
    await using broker = open()
    const abort = new AbortController()
    const reason = new Error('cancelled')
    abort.abort(reason)
    await expect(broker.publish(message('plain'), abort.signal)).rejects.toBe(reason)
    await server.pause()
    const late = new AbortController()
    const sending = broker.publish(message('plain'), late.signal)
    late.abort(reason)
    await expect(sending).rejects.toBe(reason)
    const impatient = open(100)
    expect(await impatient.publish(message('plain'))).toMatchObject({ status: 'unavailable' })
    await server.resume()
    await impatient.close()
  })
})
