import { createHash } from 'node:crypto'
import { InvalidOption } from '@lockstep/base'
import { LockTimeout } from '@lockstep/coordination'
import type { Queries } from '../db/queries.ts'
import { takeLock } from './transaction-lock.sql.ts'

export interface TransactionLockOptions {
  /** How long to wait; 0 does not wait at all. @default the lane's `lockTimeoutMs` (5 s) */
  readonly waitMs?: number
}

const LONGEST_MS = 2_147_483_647
/** Sets our keys apart from those of other users of advisory locks in the same database. */
const CLASS = 'lockstep:transaction-lock'

/**
 * Runs `work` while the caller's transaction alone has `name`. The strongest lock there is when everything it protects
 * is in this database: it cannot expire, and it ends with the transaction, whichever way that ends — not before,
 * also when `work` has returned. Not got in time is `LOCK_TIMEOUT`, after which the transaction can go on.
 */
export async function withTransactionLock<T>(
  tx: Queries,
  name: string,
  work: () => Promise<T> | T,
  options: TransactionLockOptions = {},
): Promise<T> {
  const { waitMs } = options
  if (waitMs !== undefined && (!Number.isFinite(waitMs) || waitMs < 0 || waitMs > LONGEST_MS))
    throw new InvalidOption({ option: 'waitMs', rule: `0 to ${LONGEST_MS}`, value: waitMs })
  const { taken } = await tx.one(takeLock, {
    key: advisoryKey(name),
    waitMs: waitMs === undefined ? undefined : Math.ceil(waitMs),
  })
  if (!taken) throw new LockTimeout({ name, waitMs: waitMs ?? 0 })
  return work()
}

/** 64 bits of SHA-256: two names meet once in 2³² of them, not once in 2¹⁶ as with the server's 32-bit hash. */
export function advisoryKey(name: string): bigint {
  return createHash('sha256')
    .update(JSON.stringify([CLASS, name]))
    .digest()
    .readBigInt64BE(0)
}
