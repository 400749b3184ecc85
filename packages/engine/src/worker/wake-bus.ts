/**
 * Tells other processes that there may be something to do. At most once, in any order, possibly never: whoever hears it looks
 * into the store, and whoever does not will look there anyway, a little later.
 */
export interface WakeBus {
  /** `due`: something can be claimed. `stim:<instance id>`: a message waits for an instance. */
  publish(topic: string): void
  subscribe(listener: (topic: string) => void): () => void
}

/** For one process alone: nobody else is there to be told. */
export const silentBus: WakeBus = { publish: () => {}, subscribe: () => () => {} }
