import type { Db } from '../db/db.ts'
import { ClusterNameMismatch } from '../db/errors.ts'
import * as sql from './cluster-name.sql.ts'

/**
 * Says that this database belongs to the cluster of that name. Nodes of one database under two names would keep their locks and wake-ups
 * apart in Redis and RabbitMQ, and still take each other's work: the later one is refused.
 */
export async function settleClusterName(db: Db, name: string): Promise<void> {
  const lane = db.lane('control')
  const known = async (): Promise<string | undefined> => (await lane.maybeOne(sql.read))?.name
  let found = await known()
  if (found === undefined) {
    await lane.run(sql.settle, { name })
    found = await known()
  }
  if (found !== name) throw new ClusterNameMismatch({ name, found: found ?? '' })
}
