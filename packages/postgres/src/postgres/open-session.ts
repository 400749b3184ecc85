import { InvalidOption } from '@lockstep/base'
import type { ClientConfig } from 'pg'
import { Broken } from '../connection/broken.ts'
import type { Connection } from '../connection/connection.ts'
import { openConnection } from '../connection/open-connection.ts'
import {
  applySettings,
  CLIENT_MARGIN_MS,
  quoteIdentifier,
  serverLimits,
  sessionSettings,
} from '../connection/session.ts'
import type { DatabaseAddress } from './parse-database-url.ts'
import type { ResolvedLane, ResolvedPostgres } from './postgres-options.ts'
import { unreachable } from './unreachable.ts'

/** How long a packet of the server may stay unacknowledged before it gives the session, and its locks, up. */
const TCP_USER_TIMEOUT_MS = 10_000
const KEEP_ALIVE_AFTER_MS = 5_000

/** Opens a session of a lane and sets it up. Throws an error of the catalogue. */
export async function openSession(
  options: ResolvedPostgres,
  lane: ResolvedLane,
  address = options.address,
): Promise<Connection> {
  let connection: Connection | undefined
  try {
    connection = await openConnection(clientConfig(options, address), options.clock)
    connection.limitMs = lane.statementTimeoutMs === 0 ? 0 : lane.statementTimeoutMs + CLIENT_MARGIN_MS
    if (options.pooler) await requireSearchPath(connection, options, address)
    else
      await applySettings(connection, {
        ...sessionSettings(lane),
        ...serverLimits(lane),
        tcp_user_timeout: String(TCP_USER_TIMEOUT_MS),
      })
    return connection
  } catch (error) {
    connection?.destroy(new Broken('lost', 'the session could not be set up'))
    throw InvalidOption.is(error) ? error : unreachable(address, error)
  }
}

function clientConfig(options: ResolvedPostgres, address: DatabaseAddress): ClientConfig {
  const { host, port, user, password, database, tls } = address
  return {
    host,
    port,
    user,
    database,
    // A function, so that the driver does not look for one in the environment when there is none.
    password: () => password ?? '',
    ssl: tls ?? false,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  }
}

/** Behind a transaction pooler a session setting would leak to strangers, so the role must carry it. */
async function requireSearchPath(
  connection: Connection,
  options: ResolvedPostgres,
  address: DatabaseAddress,
): Promise<void> {
  const reply = await connection.send({
    name: 'search_path',
    text: `select current_setting('search_path') as path`,
    values: [],
  })
  const [row] = reply.rows as { path: string }[]
  if (row?.path.split(',')[0]?.trim().replaceAll('"', '') === options.schema) return
  const setting = `alter role ${quoteIdentifier(address.user)} set search_path = ${quoteIdentifier(options.schema)}`
  throw new InvalidOption({
    option: 'pooler',
    rule: `used with a role that finds its schema by itself: run ${setting}`,
  })
}
