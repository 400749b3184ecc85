import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askPort } from '../../src/harness/ask-port.ts'
import { type ServerHandle, startRabbitmq } from '../../src/harness/index.ts'
import { footprintOf, untilGone } from './footprint.ts'
import { own } from './own.ts'

const HEADER = Buffer.from('AMQP\0\0\x09\x01')
const START = Buffer.from([0, 10, 0, 10])
const TUNE = Buffer.from([0, 10, 0, 30])

function shakesHands(server: ServerHandle): Promise<Buffer | undefined> {
  return askPort(server.port, HEADER, (answer) => answer.includes(START))
}

/** Logs in without waiting to be asked: the server reads the two messages one after the other. */
async function logsIn(server: ServerHandle, user: string, password: string): Promise<boolean> {
  const sized = (bytes: Buffer, size: 1 | 4): Buffer => {
    const length = Buffer.alloc(size)
    length.writeUIntBE(bytes.length, 0, size)
    return Buffer.concat([length, bytes])
  }
  const startOk = Buffer.concat([
    Buffer.from([0, 10, 0, 11]),
    sized(Buffer.alloc(0), 4),
    sized(Buffer.from('PLAIN'), 1),
    sized(Buffer.from(`\0${user}\0${password}`), 4),
    sized(Buffer.from('en_US'), 1),
  ])
  const frame = Buffer.concat([Buffer.from([1, 0, 0]), sized(startOk, 4), Buffer.from([0xce])])
  const answer = await askPort(server.port, Buffer.concat([HEADER, frame]), (bytes) => bytes.includes(TUNE))
  return answer !== undefined
}

describe('RabbitMQ', () => {
  let rabbit: ServerHandle
  beforeAll(async () => {
    rabbit = await startRabbitmq(own)
  })
  afterAll(() => rabbit.stop())

  it('lets in the user of its URL and no other', async () => {
    const { username, password, port } = new URL(rabbit.url)
    expect(Number(port)).toBe(rabbit.port)
    expect(await logsIn(rabbit, username, password)).toBe(true)
    expect(await logsIn(rabbit, 'guest', 'guest')).toBe(false)
  })

  it('is silent while paused and answers afterwards', async () => {
    await rabbit.pause()
    expect(await shakesHands(rabbit)).toBeUndefined()
    await rabbit.resume()
    expect(await shakesHands(rabbit)).toBeDefined()
  })

  it('comes back after kill -9 and after a restart with the same user', async () => {
    const { username, password } = new URL(rabbit.url)
    const before = footprintOf(rabbit)
    await rabbit.kill9()
    expect(await shakesHands(rabbit)).toBeUndefined()
    await rabbit.start()
    expect(await logsIn(rabbit, username, password)).toBe(true)

    const pid = rabbit.pid
    await rabbit.restart()
    expect(rabbit.pid).not.toBe(pid)
    expect(footprintOf(rabbit).folder).toBe(before.folder)
    expect(await logsIn(rabbit, username, password)).toBe(true)
  })

  it('leaves no process behind, not even the name server that Erlang needs', async () => {
    const footprint = footprintOf(rabbit)
    // The guardian, epmd, the Erlang machine and its port program at the least.
    expect(footprint.processes.length).toBeGreaterThanOrEqual(4)
    await rabbit.stop()
    await untilGone(footprint)
  })
})
