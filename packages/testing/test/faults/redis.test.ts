import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchCommand, startFaultProxy } from '../../src/faults/index.ts'
import { type ServerHandle, startRedis } from '../../src/harness/index.ts'
import { connectPeer, type Peer } from './peer.ts'

let redis: ServerHandle
let direct: Peer
/** Begins every key, because the server may be shared. */
const own = `faults:${randomUUID()}:`
const names = ['a', 'b', 'c', 'lease:1', 'n', 'after', 'other', 'q:1', 'q:2', 'k']
/** The value of a key, or `nil`, by a connection past the proxy. */
let stored: (key: string) => Promise<string>

const encode = (...words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`

/** Sends and waits for exactly this answer after whatever came before. */
async function exchange(peer: Peer, sent: string, answer: string): Promise<void> {
  const before = peer.text
  peer.write(sent)
  await peer.count(before.length + answer.length)
  expect(peer.text).toBe(before + answer)
}

beforeAll(async () => {
  redis = await startRedis({ quiet: true })
  direct = await connectPeer({ host: new URL(redis.url).hostname, port: redis.port })
  stored = async (key) => {
    const before = direct.received.length
    const answer = (): string => direct.received.subarray(before).toString()
    direct.write(encode('GET', own + key) + encode('ECHO', 'done'))
    await direct.until(() => answer().endsWith('$4\r\ndone\r\n'))
    return answer().startsWith('$-1') ? 'nil' : (answer().split('\r\n')[1] ?? '')
  }
})

afterAll(async () => {
  direct?.write(encode('DEL', ...names.map((name) => own + name)))
  if (direct) await stored('any')
  direct?.socket.destroy()
  await redis?.stop()
})

describe('Redis through the proxy', () => {
  it('never executes a command that is cut before it is forwarded', async () => {
    await using proxy = await startFaultProxy({ target: redis.url })
    using client = await connectPeer(proxy)
    await exchange(client, encode('SET', `${own}a`, '1'), '+OK\r\n')
    const fault = matchCommand({ when: 'before-forward', command: 'SET', keyPrefix: `${own}lease:` })
    proxy.use(fault)
    client.write(encode('SET', `${own}b`, '2') + encode('SET', `${own}lease:1`, 'me') + encode('SET', `${own}c`, '3'))
    await client.fate
    expect(fault.hits).toBe(1)
    expect(await stored('b')).toBe('2')
    expect(await stored('lease:1')).toBe('nil')
    expect(await stored('c')).toBe('nil')
  })

  it('executes a command that is cut after, and the client never hears of it', async () => {
    await using proxy = await startFaultProxy({ target: redis.url })
    using client = await connectPeer(proxy)
    const fault = matchCommand({ when: 'after-forward', command: 'incr' })
    proxy.use(fault)
    client.write(encode('SET', `${own}n`, '41') + encode('INCR', `${own}n`) + encode('SET', `${own}after`, '1'))
    await client.fate
    expect(await fault.landed()).toMatchObject({ command: 'INCR', keys: [`${own}n`], reply: { head: ':42' } })
    expect(client.text).toBe('+OK\r\n')
    expect(await stored('n')).toBe('42')
    expect(await stored('after')).toBe('nil')
    expect(proxy.counters).toMatchObject({ matched: 1, cut: 1, requestsSeen: 2 })
  })

  it('loses the reply of a script by the key it was given, in RESP3 too', async () => {
    await using proxy = await startFaultProxy({ target: redis.url })
    using client = await connectPeer(proxy)
    client.write(encode('HELLO', '3'))
    await client.until(() => client.text.includes('modules'))
    const greeting = client.text
    const fault = matchCommand({ when: 'after-forward', command: /^EVAL/, keyPrefix: `${own}q:`, times: 1 })
    proxy.use(fault)
    const script = "return redis.call('SET', KEYS[1], ARGV[1])"
    await exchange(client, encode('EVAL', script, '1', `${own}other`, 'x'), '+OK\r\n')
    client.write(encode('EVAL', script, '1', `${own}q:1`, 'x'))
    await client.fate
    expect(client.text).toBe(`${greeting}+OK\r\n`)
    expect(await stored('q:1')).toBe('x')
    using again = await connectPeer(proxy)
    await exchange(again, encode('EVAL', script, '1', `${own}q:2`, 'x'), '+OK\r\n')
  })

  it('understands what is typed into a terminal', async () => {
    await using proxy = await startFaultProxy({ target: redis.url })
    using client = await connectPeer(proxy)
    const fault = matchCommand({ when: 'before-forward', command: 'DEL' })
    proxy.use(fault)
    await exchange(client, `SET ${own}k v\r\n`, '+OK\r\n')
    client.write(`DEL ${own}k\r\n`)
    await client.fate
    expect(fault.hits).toBe(1)
    expect(await stored('k')).toBe('v')
  })

  it('stays in step on a connection that listens', async () => {
    await using proxy = await startFaultProxy({ target: redis.url })
    using client = await connectPeer(proxy)
    client.write(encode('SUBSCRIBE', `${own}news`, `${own}more`))
    await client.until(() => client.text.includes(':2\r\n'))
    direct.write(encode('PUBLISH', `${own}news`, 'hello'))
    await client.until(() => client.text.includes('hello'))
    const heard = client.text
    const fault = matchCommand({ when: 'after-forward', command: 'PING' })
    proxy.use(fault)
    client.write(encode('PING'))
    await client.fate
    expect((await fault.landed()).reply).toEqual({ head: '*2' })
    expect(client.text).toBe(heard)
  })
})
