import type { UserTransaction } from '../store/transaction-store.ts'

export type SqlRow = Readonly<Record<string, unknown>>

export type SqlResult<T> =
  | { readonly status: 'answered'; readonly value: T }
  | { readonly status: 'refused'; readonly sqlstate: string; readonly reason: string }
  /** Nothing happened, or nobody knows: `unclear` says which. */
  | { readonly status: 'unavailable'; readonly reason: string; readonly unclear: boolean }

/** Databases besides the engine's own, by the names that the operator gave them. */
export interface SqlConnections {
  readonly names: readonly string[]
  /** Runs `work` in a transaction of that database. What `work` itself throws is thrown on, after a rollback. */
  run<T>(connection: string, work: (tx: UserTransaction) => Promise<T>, signal: AbortSignal): Promise<SqlResult<T>>
}
