import { statement } from '../db/statement.ts'

/** An advisory lock until the transaction ends; a refusal leaves the transaction usable (migration 0006). */
export const takeLock = statement<{ key: bigint; waitMs: number | undefined }, { taken: boolean }>(
  'transaction_lock_take',
  (p) => [p.key, p.waitMs],
  'select lockstep_transaction_lock($1, $2) as taken',
)
