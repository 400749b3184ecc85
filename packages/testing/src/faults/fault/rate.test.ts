import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { ManualClock } from '../../../test/faults/manual-clock.ts'
import { connectPeer, settle } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { rate } from './rate.ts'

it('lets a tenth of a second through at once and the rest as time passes', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  const fault = rate({ bytesPerSecond: 1000, direction: 'requests' })
  proxy.use(fault)
  client.write('x'.repeat(350))
  await fault.landed()
  for (const arrived of [100, 200, 300]) {
    await server.count(arrived)
    await settle(echo)
    expect(server.received.length).toBe(arrived)
    clock.advance(100)
  }
  await server.count(350)
})

it('is one line for all connections', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using one = await connectPeer(proxy)
  using two = await connectPeer(proxy)
  await echo.peer(2)
  const fault = rate({ bytesPerSecond: 1000, direction: 'requests' })
  proxy.use(fault)
  one.write('x'.repeat(100))
  two.write('x'.repeat(100))
  await fault.landed()
  const arrived = (): number => echo.peers[0]!.received.length + echo.peers[1]!.received.length
  await settle(echo)
  expect(arrived()).toBe(100)
})

it('lets everything go when removed', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo, clock: new ManualClock() })
  using client = await connectPeer(proxy)
  const fault = rate({ bytesPerSecond: 10 })
  const handle = proxy.use(fault)
  client.write('x'.repeat(5000))
  await fault.landed()
  await handle.remove()
  await client.count(5000)
})
