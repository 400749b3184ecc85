import type { Lease, RunIfFree, TryOptions } from '../lease/lease.ts'

/** Work that must not happen twice at a time, or twice in a while. */
export interface Guards {
  /** Keeps `work` running in one process of all that call this; when that one dies, stalls or is cut off, another starts it. */
  singleton(name: string, work: SingletonWork, options?: SingletonOptions): Singleton
  /** `true` for one caller in `periodMs`, the first, in the whole cluster. The period begins with it and nothing ends it early. */
  tryOnce(key: string, periodMs: number): Promise<boolean>
  /** Runs `work` under the mutex `name` when it is free now, and releases it; when it is busy, skips and says who has it. */
  executeWithLock<T>(
    name: string,
    work: (lease: Lease) => Promise<T> | T,
    options?: Omit<TryOptions, 'waitMs'>,
  ): Promise<RunIfFree<T>>
}

export interface SingletonRun {
  /** Aborts when this process may not run it any longer. */
  readonly signal: AbortSignal
  /** Rises with every run that begins in another process. */
  readonly fence: bigint
  assertHeld(): void
}

/**
 * Runs until `run.signal` aborts. Returning earlier starts it again here after `pauseMs`; throwing lets another process
 * have it, and this one tries again after a pause that grows.
 */
export type SingletonWork = (run: SingletonRun) => Promise<void> | void

export interface SingletonOptions {
  /** Ends it here, as `stop` does. */
  readonly signal?: AbortSignal
  /** How long it stays with a process that died. @default 15_000 */
  readonly ttlMs?: number
  /** @default 1_000 */
  readonly pauseMs?: number
  /** @default 30_000 */
  readonly maxPauseMs?: number
  /** How long work that was told to stop may go on before another process may start it. @default `ttlMs` */
  readonly graceMs?: number
  readonly meta?: unknown
}

export interface Singleton extends AsyncDisposable {
  readonly name: string
  /** Whether it runs here now. */
  readonly running: boolean
  /** Ends it here and resolves when it has ended; the others go on. */
  stop(): Promise<void>
}
