import { expect, it, vi } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { ManualClock } from '../../../test/faults/manual-clock.ts'
import { connectPeer, settle } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { blackhole } from './blackhole.ts'
import { flap } from './flap.ts'

const refused = { code: 'ECONNREFUSED' }

it('goes down, up and down again', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using first = await connectPeer(proxy)
  await echo.peer(1)
  const fault = flap({ upMs: 200, downMs: 100 })
  const handle = proxy.use(fault)
  expect(await fault.landed()).toEqual({ outage: 1 })
  expect(await first.fate).toBe('ECONNRESET')
  clock.advance(99)
  await expect(connectPeer(proxy)).rejects.toMatchObject(refused)

  clock.advance(1)
  using second = await vi.waitFor(() => connectPeer(proxy))
  second.write('up')
  await second.count(2)
  await vi.waitFor(() => expect(clock.pendingCount).toBe(1))
  clock.advance(200)
  expect(await second.fate).toBe('ECONNRESET')
  await expect(connectPeer(proxy)).rejects.toMatchObject(refused)
  expect(fault.hits).toBe(2)

  await handle.remove()
  expect(clock.pendingCount).toBe(0)
  using third = await connectPeer(proxy)
  third.write('x')
  await third.count(1)
})

it('goes down in the way it is told', async () => {
  await using echo = await startEchoServer()
  const clock = new ManualClock()
  await using proxy = await startFaultProxy({ target: echo, clock })
  using client = await connectPeer(proxy)
  await echo.peer(1)
  proxy.use(flap({ upMs: 10, downMs: 10, down: [blackhole()] }))
  client.write('x')
  await settle(echo)
  expect(client.text).toBe('')
  clock.advance(10)
  await client.count(1)
})
