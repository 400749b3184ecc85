import { createHash, randomBytes } from 'node:crypto'
import { errorCode } from '@lockstep/base'
import { describe, expect, it, vi } from 'vitest'
import { type EchoServer, startEchoServer } from '../../../test/faults/echo-server.ts'
import { ManualClock } from '../../../test/faults/manual-clock.ts'
import { connectPeer, fateOfNew } from '../../../test/faults/peer.ts'
import { blackhole } from '../fault/blackhole.ts'
import { flap } from '../fault/flap.ts'
import { latency } from '../fault/latency.ts'
import { rate } from '../fault/rate.ts'
import { refuse } from '../fault/refuse.ts'
import { cutCommit } from '../postgres/cut-commit.ts'
import { FaultProxyClosed, startFaultProxy } from './fault-proxy.ts'

/** Every open TCP handle of this process, this test's own among them. */
function tcpHandles(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'))
}

async function deadTarget(): Promise<Pick<EchoServer, 'host' | 'port'>> {
  await using echo = await startEchoServer()
  return { host: echo.host, port: echo.port }
}

describe('a proxy without faults', () => {
  it('forwards both ways and counts the bytes', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    using client = await connectPeer(proxy)
    client.write('hello')
    await client.count(5)
    expect(client.text).toBe('hello')
    expect(proxy.counters).toMatchObject({ accepted: 1, bytesUp: 5, bytesDown: 5, cut: 0, resets: 0 })
  })

  it('carries megabytes unchanged, however slowly they are read', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    using client = await connectPeer(proxy)
    const sent = randomBytes(8 << 20)
    client.socket.pause()
    client.write(sent)
    await (await echo.peer(1)).count(1 << 20)
    client.socket.resume()
    const got = await client.count(sent.length)
    expect(createHash('sha256').update(got).digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'))
  })

  it('passes a half-close on and the reply after it', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    using client = await connectPeer(proxy, { allowHalfOpen: true })
    client.socket.end('last words')
    expect(await client.fate).toBe('ended')
    expect(client.text).toBe('last words')
    expect(await (await echo.peer(1)).fate).toBe('ended')
    await vi.waitFor(() => expect(proxy.connections).toHaveLength(0))
  })

  it('passes the death of one side on to the other', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    using client = await connectPeer(proxy)
    client.write('x')
    await client.count(1)
    client.socket.resetAndDestroy()
    expect(await (await echo.peer(1)).fate).toBe('ECONNRESET')
  })

  it('resets a client whose server cannot be reached', async () => {
    await using proxy = await startFaultProxy({ target: await deadTarget() })
    expect(await fateOfNew(proxy)).toBe('ECONNRESET')
    expect(proxy.counters.upstreamErrors).toBe(1)
  })

  it('drops its connections when asked, and takes new ones', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    using first = await connectPeer(proxy)
    first.write('x')
    await first.count(1)
    expect(proxy.connections.map((each) => each.clientPort)).toEqual([first.socket.localPort])
    expect(proxy.dropConnections()).toBe(1)
    expect(await first.fate).toBe('ended')
    expect(await (await echo.peer(1)).fate).toBe('ended')
    using second = await connectPeer(proxy)
    second.write('y')
    await second.count(1)
    expect(proxy.counters).toMatchObject({ accepted: 2, cut: 1 })
  })
})

describe('the life of a proxy', () => {
  it('cuts one link and leaves the other alone', async () => {
    await using echo = await startEchoServer()
    await using one = await startFaultProxy({ target: echo })
    await using other = await startFaultProxy({ target: echo })
    using near = await connectPeer(one)
    using far = await connectPeer(other)
    one.dropConnections()
    expect(await near.fate).toBe('ended')
    far.write('still here')
    await far.count(10)
  })

  it('adds the hits of a fault that is used on two proxies', async () => {
    await using echo = await startEchoServer()
    await using one = await startFaultProxy({ target: echo })
    await using other = await startFaultProxy({ target: echo })
    const fault = blackhole()
    one.use(fault)
    other.use(fault)
    using near = await connectPeer(one)
    using far = await connectPeer(other)
    await fault.landed(2)
    expect(fault.hits).toBe(2)
    expect([near.received.length, far.received.length]).toEqual([0, 0])
  })

  it('leaves no socket, no listener and no timer after close', async () => {
    await using echo = await startEchoServer()
    const clock = new ManualClock()
    const proxy = await startFaultProxy({ target: echo, clock })
    using client = await connectPeer(proxy)
    client.write('x'.repeat(1000))
    await client.count(1000)
    const slow = latency({ ms: 1000 })
    const narrow = rate({ bytesPerSecond: 10 })
    for (const fault of [slow, narrow, refuse(), flap({ upMs: 10, downMs: 10, down: [blackhole()] })]) proxy.use(fault)
    expect(clock.pendingCount).toBeGreaterThan(0)

    await proxy.close()
    expect(await client.fate).not.toBe('destroyed')
    expect(clock.pendingCount).toBe(0)
    await Promise.all(echo.peers.map((peer) => peer.fate))
    // The listener of the echo server itself.
    await vi.waitFor(() => expect(tcpHandles()).toEqual(['TCPServerWrap']))
    await expect(connectPeer(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('can be closed twice, and takes no fault afterwards', async () => {
    await using echo = await startEchoServer()
    const proxy = await startFaultProxy({ target: echo })
    await Promise.all([proxy.close(), proxy.close()])
    await proxy.close()
    let thrown: unknown
    try {
      proxy.use(blackhole())
    } catch (error) {
      thrown = error
    }
    expect(FaultProxyClosed.is(thrown)).toBe(true)
  })

  it('refuses a fault of a protocol that it does not follow', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    let thrown: unknown
    try {
      proxy.use(cutCommit('before-forward'))
    } catch (error) {
      thrown = error
    }
    expect(errorCode(thrown)).toBe('INVALID_OPTION')
  })

  it('listens where no client takes its local port from', async () => {
    await using echo = await startEchoServer()
    await using proxy = await startFaultProxy({ target: echo })
    expect(proxy.port).toBeLessThan(32_768)
  })
})
