import type { Server } from 'node:http'

/** Node forgets who was at the other end once they have hung up, unless it was asked before: what they did is still written down with where from. */
export function rememberAddresses(server: Server): void {
  server.on('connection', (socket) => void socket.remoteAddress)
}
