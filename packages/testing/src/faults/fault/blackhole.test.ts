import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { connectPeer, settle } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { blackhole } from './blackhole.ts'

it('silences a connection in both directions and goes on where it stopped', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  client.write('a')
  await client.count(1)
  const fault = blackhole()
  const handle = proxy.use(fault)
  expect(await fault.landed()).toEqual({ connectionId: 1 })
  client.write('b')
  server.write('c')
  await settle(echo)
  expect([client.text, server.text]).toEqual(['a', 'a'])
  await handle.remove()
  await server.count(2)
  await client.count(3)
  expect(server.text).toBe('ab')
  expect([...client.text].sort().join('')).toBe('abc')
})

it('accepts a new connection and holds it', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  const fault = blackhole()
  const handle = proxy.use(fault)
  using client = await connectPeer(proxy)
  client.write('hello')
  await fault.landed()
  await settle(echo)
  expect(client.text).toBe('')
  await handle.remove()
  await client.count(5)
})

it('makes a sender feel back-pressure instead of taking its bytes', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  const handle = proxy.use(blackhole())
  client.write(Buffer.alloc(32 << 20))
  await settle(echo)
  expect(client.socket.writableNeedDrain).toBe(true)
  await handle.remove()
  await client.count(32 << 20)
})

it('hides from one side that the other closed, until it is lifted', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  client.write('a')
  await client.count(1)
  const handle = proxy.use(blackhole())
  ;(await echo.peer(1)).socket.resetAndDestroy()
  await settle(echo)
  expect(client.socket.closed).toBe(false)
  await handle.remove()
  expect(await client.fate).toBe('ECONNRESET')
})

it('holds as long as one of two is in force', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  await echo.peer(1)
  const [one, two] = [proxy.use(blackhole()), proxy.use(blackhole())]
  client.write('x')
  await one.remove()
  await settle(echo)
  expect(client.text).toBe('')
  await two.remove()
  await client.count(1)
})
