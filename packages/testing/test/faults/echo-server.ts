import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Peer } from './peer.ts'

export interface EchoServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Its ends of the connections, in order of arrival. */
  readonly peers: readonly Peer[]
  /** The server's end of the `nth` connection, counted from 1, once there is one. */
  peer(nth: number): Promise<Peer>
}

/** Sends every byte back, and ends when the client does. */
export async function startEchoServer(): Promise<EchoServer> {
  const peers: Peer[] = []
  const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    peers.push(new Peer(socket))
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    host: '127.0.0.1',
    port: address.port,
    peers,
    async peer(nth) {
      while (peers.length < nth) await once(server, 'connection')
      return peers[nth - 1]!
    },
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
