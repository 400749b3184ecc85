import { seededRandom } from '@lockstep/base'
import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { ManualClock } from '../../../test/faults/manual-clock.ts'
import { connectPeer, settle } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { latency } from './latency.ts'

it('delays each direction by its time, no less', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  const fault = latency({ ms: 100 })
  proxy.use(fault)

  client.write('ping')
  await fault.landed(1)
  clock.advance(99)
  await settle(echo)
  expect(server.text).toBe('')
  clock.advance(1)
  await server.count(4)
  await fault.landed(2)
  clock.advance(99)
  await settle(echo)
  expect(client.text).toBe('')
  clock.advance(1)
  await client.count(4)
})

it('delays one direction alone', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using client = await connectPeer(proxy)
  const fault = latency({ ms: 100, direction: 'replies' })
  proxy.use(fault)
  client.write('ping')
  await (await echo.peer(1)).count(4)
  await fault.landed()
  clock.advance(100)
  await client.count(4)
  expect(fault.hits).toBe(1)
})

it('adds up when used twice, and lets what is under way arrive at its time when removed', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  const fault = latency({ ms: 50, direction: 'requests' })
  const handles = [proxy.use(fault), proxy.use(fault)]
  client.write('ping')
  await fault.landed(2)
  await Promise.all(handles.map((handle) => handle.remove()))
  clock.advance(99)
  await settle(echo)
  expect(server.text).toBe('')
  clock.advance(1)
  await server.count(4)
})

it('keeps the order under jitter', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo, random: seededRandom(7) })
  using client = await connectPeer(proxy)
  const fault = latency({ ms: 2, jitterMs: 2 })
  proxy.use(fault)
  const words = Array.from({ length: 60 }, (_, at) => `${at},`)
  for (const word of words) {
    client.write(word)
    await new Promise(setImmediate)
  }
  const sent = words.join('')
  await client.count(sent.length)
  expect(client.text).toBe(sent)
  expect(fault.hits).toBeGreaterThan(2)
})
