import { InvalidOption } from '@lockstep/base'
import { type FenceStore, StaleFence } from '@lockstep/coordination'
import type { Script } from '../connection/commands.ts'
import type { RedisClient } from '../connection/redis-client.ts'
import { sendWith } from '../connection/send-with.ts'
import { guardDelete, guardRaise, guardSet } from '../scripts/scripts.generated.ts'

export interface RedisFence extends FenceStore {
  /** Writes `value` unless a later holder wrote or removed it: then `STALE_FENCE`. Read it with a plain GET. */
  set(key: string, value: string, fence: bigint, options?: { readonly ttlMs?: number }): Promise<void>
  /** Removes it unless a later holder was there: then `STALE_FENCE`. */
  delete(key: string, fence: bigint): Promise<void>
}

/**
 * Guards values in Redis by the fence of the lease that they are written under. The highest fence seen is in a key beside the
 * value, in the same slot of a cluster, and compared in the same script that writes.
 */
export function redisFence(client: RedisClient): RedisFence {
  const send = sendWith(client)
  const run = async (script: Script, keys: readonly string[], args: readonly string[]): Promise<[string, number]> => {
    const rest = [String(keys.length), ...keys, ...args]
    try {
      return (await send(['EVALSHA', script.sha, ...rest])) as [string, number]
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return (await send(['EVAL', script.text, ...rest])) as [string, number]
    }
  }
  const guarded = async (script: Script, key: string, fence: bigint, ...args: string[]): Promise<void> => {
    const [seen, isWritten] = await run(script, [key, guardOf(key)], [fenceText(fence), ...args])
    if (isWritten === 0) throw new StaleFence({ resource: key, fence, seen: BigInt(seen) })
  }
  return {
    async set(key, value, fence, { ttlMs = 0 } = {}) {
      if (!(ttlMs >= 0)) throw new InvalidOption({ option: 'ttlMs', rule: 'at least 0', value: ttlMs })
      await guarded(guardSet, key, fence, value, String(Math.ceil(ttlMs)))
    },
    delete: (key, fence) => guarded(guardDelete, key, fence),
    async raise(resource, fence) {
      const [seen] = await run(guardRaise, [guardOf(resource)], [fenceText(fence)])
      return seen === '' ? undefined : BigInt(seen)
    },
  }
}

function fenceText(fence: bigint): string {
  if (fence < 0n) throw new InvalidOption({ option: 'fence', rule: 'a fence of a lease', value: fence.toString() })
  return fence.toString()
}

/**
 * Beside the key, in its slot: its own hash tag if it has one, else the whole key as the tag. Two endings, so that the guards of
 * `a` and `{a}` are two. (A key with a brace but no tag has its guard in another slot; that matters on a cluster only.)
 */
export function guardOf(key: string): string {
  const from = key.indexOf('{')
  const isTagged = from >= 0 && key.indexOf('}', from) > from + 1
  return isTagged ? `${key}:lockstep-fence` : `{${key}}:lockstep-guard`
}
