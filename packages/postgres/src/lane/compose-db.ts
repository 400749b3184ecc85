import type { Db, Lane, LaneName } from '../db/db.ts'
import { ping } from '../db/ping.sql.ts'
import type { Listener } from '../listen/listener.ts'
import type { Pool } from './pool.ts'

export interface DbParts {
  readonly kind: Db['kind']
  readonly schema: string
  readonly lanes: Readonly<Record<LaneName, Lane>>
  readonly pools: readonly Pool[]
  readonly listener: Listener
  /** What must be quiet before connections are closed. */
  readonly stop?: () => Promise<void>
  /** What ends after them. */
  readonly end?: () => Promise<void>
}

export function composeDb(parts: DbParts): Db {
  const { kind, schema, lanes, pools, listener } = parts
  let closed: Promise<void> | undefined
  const end = async (): Promise<void> => {
    await parts.stop?.()
    await Promise.all([listener.close(), ...pools.map((pool) => pool.close())])
    await parts.end?.()
  }
  const close = (): Promise<void> => {
    closed ??= end()
    return closed
  }
  return {
    ...lanes.work,
    kind,
    schema,
    lane: (name) => lanes[name],
    listen: (channel, subscriber) => listener.subscribe(channel, subscriber),
    async ping() {
      await lanes.control.run(ping)
    },
    stats: () => pools.map((pool) => pool.stats()),
    close,
    [Symbol.asyncDispose]: close,
  }
}
