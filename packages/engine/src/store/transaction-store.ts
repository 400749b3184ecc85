import type { CommitBatch, CommitResult, StartItem, StartVerdict } from './commit-store.ts'

/** The user's own statements, inside the transaction that will also hold the step's facts. */
export interface UserTransaction {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Effects inside our database: they commit exactly once with the step (P5). */
export interface TransactionStore {
  /**
   * Runs `work`, then writes `finish(result)` and commits, in one message: the node row is never held across user code.
   * Throws `FENCED`, `COMMIT_UNKNOWN` (settle it by committing an empty batch under the same number) or what `work` threw.
   */
  transact<T>(
    work: (tx: UserTransaction) => Promise<T>,
    finish: (result: T) => CommitBatch,
  ): Promise<{ readonly result: T; readonly commit: CommitResult }>
  /** Starts an instance inside a transaction of the caller's: it exists when that commits, for any node to pick up. */
  startWithin(tx: UserTransaction, nodeId: string, item: StartItem): Promise<StartVerdict>
}
