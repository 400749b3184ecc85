import { StaleFence } from '@lockstep/coordination'
import type { Queries } from '../db/queries.ts'
import * as sql from './fence-guard.sql.ts'

export interface GuardedWrite {
  /** What is written to: all who write to it must name it alike. */
  readonly resource: string
  /** Of the lease under which it is written. */
  readonly fence: bigint
}

/**
 * Lets a write pass only under the newest fence that its resource has seen. Call it inside the transaction of the write,
 * as its first statement: writers of one resource then stand in line until they commit, and a holder that lost its lease
 * while it slept gets `STALE_FENCE`, which rolls its transaction back. The same fence may pass again and again.
 */
export async function fenceGuard(tx: Queries, { resource, fence }: GuardedWrite): Promise<void> {
  if ((await tx.maybeOne(sql.raiseGuard, { resource, fence })) !== undefined) return
  const seen = await tx.maybeOne(sql.readGuard, { resource })
  throw new StaleFence({ resource, fence, ...(seen === undefined ? {} : { seen: BigInt(seen.fence) }) })
}
