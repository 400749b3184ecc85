import type { Queries } from './queries.ts'
import type { Statement } from './statement.ts'

export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

export interface TransactionOptions {
  /** @default 'read committed' */
  readonly isolation?: Isolation
  /** @default false */
  readonly readOnly?: boolean
  /** How often the whole closure may run when the server answers 40001 or 40P01. Nothing else is retried. @default 5 */
  readonly attempts?: number
  /** Replaces the lane's limit per statement inside this transaction. */
  readonly statementTimeoutMs?: number
}

/** A small set of connections of its own, so that one kind of work cannot starve another. */
export interface Lane extends Queries {
  /**
   * Runs `work` in a transaction on a connection of its own. `work` must touch nothing but `tx`: it may run again.
   * A connection lost before COMMIT is `CONNECTION_LOST` (rolled back for sure), after it `COMMIT_UNKNOWN`.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * A transaction whose last statement and COMMIT leave in one write, so that a process stopped between the two
   * holds no locks. `work` answers the parameters of `last`; when `last` raises, everything is rolled back.
   */
  transactionEndingWith<P, R>(
    last: Statement<P, R>,
    work: (tx: Queries) => Promise<P>,
    options?: TransactionOptions,
  ): Promise<R[]>
}

export type LaneName = 'control' | 'work' | 'api' | 'flush'

export const laneNames: readonly LaneName[] = ['control', 'work', 'api', 'flush']

export interface LaneStats {
  readonly name: string
  readonly openCount: number
  /** Connections that a transaction owns. */
  readonly ownedCount: number
  /** Statements sent and not answered yet. */
  readonly inFlightCount: number
  /** Callers that wait for a connection. */
  readonly waitingCount: number
}

export interface Subscriber {
  onMessage(payload: string): void
  /** Listening began, or began again after a loss: messages may have been missed, read everything anew. */
  onResync(): void
  /** The connection that listens was lost: nothing is heard until the next `onResync`. */
  onLoss?(): void
}

export interface Subscription extends AsyncDisposable {
  close(): Promise<void>
}

/** A PostgreSQL database, on a server or inside this process. Its own statements run in the lane `work`. */
export interface Db extends Lane, AsyncDisposable {
  readonly kind: 'postgres' | 'pglite'
  /** The schema that every statement sees through the search path. */
  readonly schema: string
  lane(name: LaneName): Lane
  /** Resolves when messages flow. `NOTIFY` reaches every process on a server, only this one when embedded. */
  listen(channel: string, subscriber: Subscriber): Promise<Subscription>
  /** Settles when the database answered; throws what kept it from answering. */
  ping(): Promise<void>
  stats(): readonly LaneStats[]
  /** Lets running statements finish for a moment, then ends every connection. Closing twice is no error. */
  close(): Promise<void>
}

/** Called on every new connection before its first use. Its error ends that connection and reaches whoever waits for one. */
export type OnConnect = (queries: Queries) => Promise<void>
