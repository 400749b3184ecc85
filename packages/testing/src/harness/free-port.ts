import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

const LOWEST = 10_240
const TRIES = 50

/**
 * A port nobody listens on, below the range the kernel hands to outgoing connections. A port from that range could be
 * taken while its server is down between kill and restart; a client that keeps reconnecting can even connect to itself.
 * Another process may still take it before the server does: starting a server retries with another port.
 */
export async function freePort(): Promise<number> {
  const ceiling = outgoingPortsFrom()
  for (let tries = 0; ceiling > LOWEST && tries < TRIES; tries++) {
    const port = await bind(randomInt(LOWEST, ceiling)).catch(() => undefined)
    if (port !== undefined) return port
  }
  return bind(0)
}

function bind(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const bound = (server.address() as AddressInfo).port
      server.close(() => resolve(bound))
    })
  })
}

function outgoingPortsFrom(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  } catch {
    return 32_768
  }
}
