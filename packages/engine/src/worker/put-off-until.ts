import type { ExecutionHost } from './execution.ts'

/** Longer than a claim is kept in hand for a timer. */
const OUT_OF_HAND_MS = 5_000

/**
 * When a step that may not run now asks again, by the store's clock. A suspect does not wait in hand: it would hold up the others that are
 * under suspicion, and be counted as running should this node die too.
 */
export function putOffUntil(host: Pick<ExecutionHost, 'isSuspect' | 'storeNow'>, inMs: number): number {
  return host.storeNow() + (host.isSuspect ? Math.max(inMs, OUT_OF_HAND_MS) : inMs)
}
