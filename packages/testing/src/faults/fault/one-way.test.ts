import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { connectPeer, settle } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { oneWay } from './one-way.ts'

it('passes requests and loses replies', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  const fault = oneWay('requests')
  proxy.use(fault)
  client.write('hello')
  await (await echo.peer(1)).count(5)
  await fault.landed()
  await settle(echo)
  expect(client.text).toBe('')
  expect(proxy.counters).toMatchObject({ bytesUp: 5, bytesDown: 0, bytesVanished: 5 })
})

it('passes replies and loses requests', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  const fault = oneWay('replies')
  proxy.use(fault)
  client.write('lost')
  await fault.landed()
  server.write('news')
  await client.count(4)
  expect([client.text, server.text]).toEqual(['news', ''])
})

it('does not let a close through the dead direction', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  const fault = oneWay('requests')
  proxy.use(fault)
  server.socket.end()
  await fault.landed()
  await settle(echo)
  expect(client.socket.readableEnded).toBe(false)
})

it('resets connections that lost bytes when it is lifted, and spares the others', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using losing = await connectPeer(proxy)
  using idle = await connectPeer(proxy)
  await echo.peer(2)
  const fault = oneWay('requests')
  const handle = proxy.use(fault)
  losing.write('x')
  await fault.landed()
  await handle.remove()
  expect(await losing.fate).toBe('ECONNRESET')
  idle.write('y')
  await idle.count(1)
  expect(proxy.counters.resets).toBe(1)
})
