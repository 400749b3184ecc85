import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { ManualClock } from '../../../test/faults/manual-clock.ts'
import { connectPeer } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import type { Direction } from '../proxy/valve.ts'
import { cutAfter } from './cut-after.ts'
import { rate } from './rate.ts'

it('cuts after exactly that many bytes, whatever chunks they come in', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  const cases = fc.record({
    bytes: fc.integer({ min: 0, max: 3000 }),
    direction: fc.constantFrom<Direction>('requests', 'replies'),
    chunks: fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ bytes, direction, chunks }) => {
      const fault = cutAfter({ bytes, direction })
      await using _ = proxy.use(fault)
      const nth = echo.peers.length + 1
      using client = await connectPeer(proxy)
      const server = await echo.peer(nth)
      const sent = Buffer.concat(chunks.map((size, at) => Buffer.alloc(size, at)))
      for (const [at, size] of chunks.entries()) client.write(Buffer.alloc(size, at))
      if (sent.length < Math.max(bytes, 1)) {
        await client.count(sent.length)
        expect(fault.hits).toBe(0)
        return
      }
      await fault.landed()
      expect(await client.fate).toBe('ended')
      await server.fate
      const got = direction === 'requests' ? server.received : client.received
      expect(got.equals(sent.subarray(0, bytes))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

it('delivers all of them to a peer that reads late and has itself sent more than was taken', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo, clock: new ManualClock() })
  using client = await connectPeer(proxy)
  const server = await echo.peer(1)
  const narrow = rate({ bytesPerSecond: 1, direction: 'requests' })
  proxy.use(narrow)
  client.socket.pause()
  client.write(Buffer.alloc(8 << 20))
  await narrow.landed()
  const fault = cutAfter({ bytes: 300_000, direction: 'replies' })
  proxy.use(fault)
  server.write(Buffer.alloc(400_000, 'x'))
  await fault.landed()
  client.socket.resume()
  await client.fate
  expect(client.text).toBe('x'.repeat(300_000))
})

it('counts a present connection from now on', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  client.write('before')
  await client.count(6)
  const fault = cutAfter({ bytes: 2, direction: 'requests' })
  proxy.use(fault)
  client.write('after')
  expect(await fault.landed()).toEqual({ connectionId: 1 })
  const server = await echo.peer(1)
  await server.fate
  expect(server.text).toBe('beforeaf')
  expect(proxy.counters.cut).toBe(1)
})
