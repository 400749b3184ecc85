import { emptyTables, type Tables } from './tables.ts'

/** Rules that a test may take away, to see that the checker notices. */
export type Guard =
  /** The node row must be there for a commit. */
  | 'fence'
  /** Only the owner of the claim writes. */
  | 'claim'
  /** The fact before must exist and this one must not. */
  | 'chain'
  /** A decision must have heard every stimulus. */
  | 'stimuli'
  /** One instance per dedupe key. */
  | 'dedupe'
  /** A consumed bookmark is gone. */
  | 'bookmark'

/** What every transaction of the simulated database works on. A transaction is one synchronous call: nothing comes between. */
export interface Database {
  readonly tables: Tables
  /** The database's own clock, in milliseconds since 1970. */
  now(): number
  /** Number of a new transaction; commits are in its order. */
  nextTransaction(): number
  nextMessageId(): number
  has(guard: Guard): boolean
}

export interface MutableDatabase extends Database {
  remove(guards: readonly Guard[]): void
}

export function emptyDatabase(now: () => number): MutableDatabase {
  const removed = new Set<Guard>()
  let transactions = 0
  let messages = 0
  return {
    tables: emptyTables(),
    now,
    nextTransaction: () => ++transactions,
    nextMessageId: () => ++messages,
    has: (guard) => !removed.has(guard),
    remove: (guards) => {
      for (const guard of guards) removed.add(guard)
    },
  }
}
