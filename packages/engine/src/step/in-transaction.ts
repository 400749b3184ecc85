import { defineError, isRetryable } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import type { UserTransaction } from '../store/transaction-store.ts'

export const TransactionUndone = defineError(
  'TRANSACTION_UNDONE',
  { retryable: true },
  (d: { step: string; count: number }) =>
    `The database undid the transaction of step "${d.step}" ${d.count} times: it may take too long, wait inside for something else, or lose its connection`,
)

/**
 * The store's transaction as user code gets it: it notes whether the database itself has failed. Only then may the store run the
 * code again by itself. What the code throws on its own ends the attempt, also where the error calls itself retryable.
 */
class WatchedTransaction implements UserTransaction {
  readonly #tx: UserTransaction
  #failure: { readonly error: unknown } | undefined

  constructor(tx: UserTransaction) {
    this.#tx = tx
  }

  static storesOwn(tx: UserTransaction): UserTransaction {
    return #tx in tx ? tx.#tx : tx
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  async query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.#tx.query<Row>(text, values)
    } catch (error) {
      if (isRetryable(error)) this.#failure ??= { error }
      throw error
    }
  }
}

/** Carries what user code threw past those who would try again. */
class OwnFailure extends Error {
  constructor(reason: unknown) {
    super('thrown inside a transaction', { cause: reason })
  }
}

/** The database may ask for another run now and then; code that it undoes so often will not get through by itself. */
const MOST_RUNS = 10

/**
 * User code as the store runs it: again where the database failed under it, but not for ever. Rejects with what `code` threw, wrapped:
 * `reasonOf` unwraps it when the transaction has been rolled back.
 */
export function inTransaction<T>(
  step: StepKey,
  code: (tx: UserTransaction) => Promise<T>,
): (tx: UserTransaction) => Promise<T> {
  let runCount = 0
  return async (tx) => {
    const watched = new WatchedTransaction(tx)
    try {
      runCount += 1
      if (runCount > MOST_RUNS) throw new TransactionUndone({ step, count: MOST_RUNS })
      return await code(watched)
    } catch (error) {
      throw watched.failure?.error ?? new OwnFailure(error)
    }
  }
}

/** Why a transaction was rolled back. */
export function reasonOf(error: unknown): unknown {
  return error instanceof OwnFailure ? error.cause : error
}

/** The transaction as the store made it, for calls that join it. */
export function storesOwn(tx: UserTransaction): UserTransaction {
  return WatchedTransaction.storesOwn(tx)
}
