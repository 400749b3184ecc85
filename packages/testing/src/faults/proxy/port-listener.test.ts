import { expect, it } from 'vitest'
import { connectPeer } from '../../../test/faults/peer.ts'
import { PortListener } from './port-listener.ts'

const refused = { code: 'ECONNREFUSED' }

function newListener(): PortListener {
  return new PortListener('127.0.0.1', 0, (socket) => socket.destroy())
}

it('stays shut when told so while it is about to listen', async () => {
  const listener = newListener()
  await listener.open()
  await listener.shut()
  const opening = listener.open()
  const shut = listener.shut()
  await Promise.all([opening, shut])
  await expect(connectPeer(listener)).rejects.toMatchObject(refused)
})

it('listens when told so last, however often it was told otherwise', async () => {
  const listener = newListener()
  await listener.open()
  const { port } = listener
  const told = [listener.shut(), listener.open(), listener.shut(), listener.open()]
  await told.at(-1)
  using client = await connectPeer({ host: listener.host, port })
  await client.fate
  await Promise.all([...told, listener.shut()])
  await expect(connectPeer(listener)).rejects.toMatchObject(refused)
})

it('opens and shuts when it already is', async () => {
  const listener = newListener()
  await listener.shut()
  await Promise.all([listener.open(), listener.open()])
  await listener.open()
  using client = await connectPeer(listener)
  await client.fate
  await Promise.all([listener.shut(), listener.shut()])
})
