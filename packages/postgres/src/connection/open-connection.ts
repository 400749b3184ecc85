import type { Clock } from '@lockstep/base'
import { Client, type ClientConfig } from 'pg'
import { decoderOf } from '../values/decode.ts'
import { Connection } from './connection.ts'

const types = { getTypeParser: decoderOf } as unknown as NonNullable<ClientConfig['types']>

/** Opens one pipelined session. Rejects with the driver's or the server's own error. */
export async function openConnection(config: ClientConfig, clock: Clock): Promise<Connection> {
  const client = new Client({ ...config, types, pipeline: true })
  // An error during the handshake rejects connect(); the same error may be emitted once more, to nobody.
  const ignore = (): void => {}
  client.on('error', ignore)
  try {
    await client.connect()
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
  const connection = new Connection(client, clock)
  client.off('error', ignore)
  return connection
}
