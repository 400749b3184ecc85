import type { Socket } from 'node:net'

/**
 * Ends a connection so that every byte written before reaches the peer. A plain `destroy` with unread input makes the
 * kernel send RST and drop what it had not sent yet; so say goodbye, discard what still comes, and let Node close the
 * socket when the peer has said goodbye too.
 */
export function hangUp(socket: Socket): void {
  socket.end()
  socket.resume()
}
