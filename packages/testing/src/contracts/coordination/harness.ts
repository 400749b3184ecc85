import type { Clock } from '@lockstep/base'
import type { CoordinationProvider } from '@lockstep/coordination'

/** A store that nobody else uses, and ways to treat it badly. */
export interface CoordinationHarness {
  readonly provider: CoordinationProvider
  /** The time that passes in `elapse`, for whatever is built on the provider. */
  readonly clock: Clock
  /** `virtual`: hours pass at once, so random runs may let time pass as well. */
  readonly time: 'virtual' | 'real'
  /** One more provider on the same store; in the namespace of the first unless another one is named. Closed by `close`. */
  another(options?: { readonly namespace?: string }): Promise<CoordinationProvider>
  /** Lets time pass, for the store and for `clock`. */
  elapse(ms: number): Promise<void>
  /** Kills the store's server without warning. Absent: see `ContractOptions.skip`. */
  crash?(): Promise<void>
  /** Brings the server back after `crash`, with whatever it kept. */
  restart?(): Promise<void>
  /** Wipes everything that the store holds, as FLUSHALL does. */
  flush?(): Promise<void>
  /** Whatever of this namespace is in the store, one line each, for leak tests. */
  leftovers?(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Answers an empty store each time. */
export type OpenCoordination = () => Promise<CoordinationHarness>

/** Waits by asking, until `isSo` or until `limitMs` have passed. */
export async function until(
  harness: Pick<CoordinationHarness, 'clock' | 'elapse'>,
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const end = harness.clock.monotonic() + limitMs
  while (!(await isSo())) {
    if (harness.clock.monotonic() > end) throw new Error(`it did not happen within ${limitMs} ms: ${what}`)
    await harness.elapse(5)
  }
}
