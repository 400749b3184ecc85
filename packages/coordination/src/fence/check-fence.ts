import { StaleFence } from '../errors.ts'

/**
 * Whether a resource that has seen fence `seen` may take a write with `fence`. Equal is welcome: a holder writes more than
 * once. Every checker (memory, HTTP, Redis, SQL) decides by this rule and no other.
 */
export function fenceAccepts(seen: bigint | undefined, fence: bigint): boolean {
  return seen === undefined || fence >= seen
}

/** Throws `STALE_FENCE` when a later holder has been at `resource` already; otherwise answers the mark to keep with it. */
export function checkFence(resource: string, seen: bigint | undefined, fence: bigint): bigint {
  if (!fenceAccepts(seen, fence)) throw new StaleFence({ resource, fence, ...(seen === undefined ? {} : { seen }) })
  return fence
}

/** The fence that a text holds: a positive whole number that fits into 64 bits with sign, as every store of ours hands out. */
export function parseFence(text: string): bigint | undefined {
  if (!/^[1-9]\d{0,18}$/.test(text)) return undefined
  const fence = BigInt(text)
  return fence <= GREATEST ? fence : undefined
}

const GREATEST = 2n ** 63n - 1n
