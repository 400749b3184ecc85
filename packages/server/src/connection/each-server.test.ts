import dns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { eachServer } from './each-server.ts'

const hasSix = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
const both = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

it.skipIf(!hasSix)('reaches connections to every address of a name', async () => {
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((...[host, options, told]: Lookup) =>
      typeof options === 'function'
        ? options(null, ...(host === '::1' ? [host, 6] : ['127.0.0.1', 4]))
        : told(null, both)) as never)
  const app = Fastify({ forceCloseConnections: true })
  const reached: (string | undefined)[] = []
  eachServer(app, (server) => server.on('connection', ({ localAddress }) => reached.push(localAddress)))
  app.get('/', async () => 'here')
  try {
    await app.listen({ host: 'localhost', port: 0 })
    lookup.mockRestore()
    const { port } = app.server.address() as AddressInfo
    for (const host of ['127.0.0.1', '[::1]']) expect((await fetch(`http://${host}:${port}/`)).status).toBe(200)
    expect(reached).toEqual(['127.0.0.1', '::1'])
  } finally {
    lookup.mockRestore()
    await app.close()
  }
})

type Told = (error: null, ...found: readonly unknown[]) => void
type Lookup = readonly [host: string, options: object | Told, told: Told]
