import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { connectPeer } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { refuse } from './refuse.ts'

const refused = { code: 'ECONNREFUSED' }

it('refuses new connections, keeps present ones, and listens on the same port again', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using client = await connectPeer(proxy)
  const { port } = proxy
  const fault = refuse()
  const handle = proxy.use(fault)
  await expect(connectPeer(proxy)).rejects.toMatchObject(refused)
  expect(await fault.landed()).toEqual({ port })
  expect(proxy.counters.refused).toBe(1)
  client.write('still here')
  await client.count(10)

  await handle.remove()
  using later = await connectPeer({ host: proxy.host, port })
  later.write('back')
  await later.count(4)
})

it('refuses as long as one of two is in force', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  const [one, two] = [proxy.use(refuse()), proxy.use(refuse())]
  await one.remove()
  await expect(connectPeer(proxy)).rejects.toMatchObject(refused)
  await two.remove()
  using client = await connectPeer(proxy)
  client.write('x')
  await client.count(1)
})

it('ends up as last told when it comes and goes in one breath', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  const [first, second, third] = [refuse(), refuse(), refuse()]
  const opening = [proxy.use(first).remove(), proxy.use(second).remove()]
  const shut = proxy.use(third)
  await Promise.all(opening)
  await third.landed()
  await expect(connectPeer(proxy)).rejects.toMatchObject(refused)
  await shut.remove()
  using client = await connectPeer(proxy)
  client.write('x')
  await client.count(1)
})
