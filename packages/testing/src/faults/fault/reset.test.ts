import { expect, it } from 'vitest'
import { startEchoServer } from '../../../test/faults/echo-server.ts'
import { connectPeer, fateOfNew } from '../../../test/faults/peer.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { reset } from './reset.ts'

it('resets both sides of every present connection and spares new ones', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  using one = await connectPeer(proxy)
  using two = await connectPeer(proxy)
  const servers = await Promise.all([echo.peer(1), echo.peer(2)])
  const fault = reset()
  proxy.use(fault)
  const fates = [one, two, ...servers].map((peer) => peer.fate)
  expect(await Promise.all(fates)).toEqual(['ECONNRESET', 'ECONNRESET', 'ECONNRESET', 'ECONNRESET'])
  expect(fault.hits).toBe(2)
  expect(proxy.counters.resets).toBe(2)
  using later = await connectPeer(proxy)
  later.write('x')
  await later.count(1)
})

it('resets new connections too when asked, until it is removed', async () => {
  await using echo = await startEchoServer()
  await using proxy = await startFaultProxy({ target: echo })
  const fault = reset({ newConnections: true })
  const handle = proxy.use(fault)
  expect(await fateOfNew(proxy)).toBe('ECONNRESET')
  expect(fault.hits).toBe(1)
  await handle.remove()
  using later = await connectPeer(proxy)
  later.write('x')
  await later.count(1)
})
