export interface MutexOptions {
  /** Whoever runs under the lock may ask for it again inside (`run`): same lease, same fence, no call to the store. @default false */
  readonly reentrant?: boolean
  /**
   * Strict order of arrival over the whole cluster: no passing on inside a process, `priority` is ignored. Holds among those
   * who ask so: say it wherever the name is used. @default false
   */
  readonly fair?: boolean
  /** Life of its leases without renewal. @default of the coordinator */
  readonly ttlMs?: number
}
