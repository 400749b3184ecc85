/**
 * Tells other processes that there may be something to do. At most once, in any order, possibly never, possibly twice: whoever
 * hears it looks into the store, and whoever does not will look there anyway, a little later.
 */
export interface WakeBus {
  /**
   * `due`: something can be claimed. `stim:<instance id>`: a message waits for an instance. A topic has no comma. Never throws and
   * never waits.
   */
  publish(topic: string): void
  subscribe(listener: (topic: string) => void): () => void
}

/** A bus that holds a connection. */
export interface OpenWakeBus extends WakeBus {
  /** Whether the last message could not be sent, or none can be heard; both are tried until they work. Absent: there is nobody to send to. */
  isFailing?(): boolean
  /** Sends what is gathered, then ends. */
  close(): Promise<void>
}

/** For one process alone: nobody else is there to be told. */
export const silentBus: WakeBus = { publish: () => {}, subscribe: () => () => {} }
