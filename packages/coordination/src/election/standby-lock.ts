/** Locks that are waited for by design, for as long as the holder lives: a long wait for one of them is no trouble. */
const ELECTION = 'election:'
const SINGLETON = 'singleton:'

export const electionLock = (name: string): string => ELECTION + name
export const singletonLock = (name: string): string => SINGLETON + name
export const isStandbyLock = (lockName: string): boolean =>
  lockName.startsWith(ELECTION) || lockName.startsWith(SINGLETON)
