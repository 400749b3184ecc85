import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import type { HostAddress } from '../../packages/engine/src/outbound/http/guard-address.ts'

/** A name server of an attacker: every question for an A record gets the next of its answers, the last one for good. */
export interface RebindingDns {
  readonly asked: () => number
  readonly resolveHost: (host: string) => Promise<readonly HostAddress[]>
  close(): void
}

export async function openRebindingDns(answers: readonly (readonly string[])[]): Promise<RebindingDns> {
  let asked = 0
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const given = answers[Math.min(asked, answers.length - 1)]!
    asked += 1
    socket.send(reply(query, given), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new Resolver({ timeout: 20_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    asked: () => asked,
    resolveHost: async (host) => (await resolver.resolve4(host)).map((address) => ({ address, family: 4 })),
    close: () => socket.close(),
  }
}

/** The question again, and the answers with no time to live. */
function reply(query: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8) // no authorities, and nothing besides
  const end = query.indexOf(0, 12) + 5
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, query.subarray(12, end), ...records])
}
