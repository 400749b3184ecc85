import type { Busy, HolderInfo } from './lease.ts'
import type { InTheWay } from './lease-provider.ts'

export function busy(reason: Busy['reason'], { holder, leftMs }: InTheWay): Busy {
  const info = holder === undefined ? undefined : readHolder(holder)
  return {
    ok: false,
    reason,
    ...(info !== undefined && { holder: info }),
    ...(leftMs !== undefined && { retryAfterMs: Math.max(0, leftMs) }),
    [Symbol.asyncDispose]: nothing,
  }
}

/** What stands in the store was written by some version of some program: whatever is not a holder is left out. */
export function readHolder(text: string): HolderInfo | undefined {
  try {
    const info: unknown = JSON.parse(text)
    if (typeof info === 'object' && info !== null && 'nodeId' in info && 'node' in info) return info as HolderInfo
  } catch {
    // Not ours.
  }
  return undefined
}

async function nothing(): Promise<void> {}
