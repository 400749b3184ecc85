/**
 * The least that a mutex with a queue can be: one holder, those who wait in their order, the last fence. Time is counted
 * in long ticks: whatever was not touched for two of them is over. Tokens that died waiting are not used again.
 */
export interface ModelLock {
  readonly name: string
  holder: { readonly token: string; readonly fence: bigint; freshAt: number } | undefined
  queue: ModelPlace[]
  lastFence: bigint
}

export interface ModelPlace {
  readonly token: string
  readonly priority: number
  freshAt: number
}

export interface MutexModel {
  readonly locks: readonly ModelLock[]
  /** The token that each client uses for each name. */
  readonly tokens: Map<string, string>
  readonly canElapse: boolean
  tick: number
}

export const TICKS_TO_LIVE = 2

export function isLive(model: MutexModel, { freshAt }: { readonly freshAt: number }): boolean {
  return model.tick < freshAt + TICKS_TO_LIVE
}

/** Those who wait and still ask, first first. */
export function line(model: MutexModel, lock: ModelLock): ModelPlace[] {
  return lock.queue.filter((place) => isLive(model, place))
}

export function enqueue(lock: ModelLock, place: ModelPlace): void {
  const behind = lock.queue.findIndex((other) => other.priority < place.priority)
  lock.queue.splice(behind === -1 ? lock.queue.length : behind, 0, place)
}

/** Who gets a lock that has just become free. */
export function nextInLine(model: MutexModel, lock: ModelLock): ModelPlace | undefined {
  const [first] = line(model, lock)
  lock.holder = undefined
  if (first !== undefined) lock.queue = lock.queue.filter((place) => place !== first)
  return first
}
