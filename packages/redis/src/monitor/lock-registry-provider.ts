import type { LockPage, LockRegistryProvider, LockState } from '@lockstep/coordination'
import type { Commands, Script } from '../connection/commands.ts'
import { bucketOf, type KeySpace } from '../key/key-space.ts'
import { LockCall } from '../key/lock-call.ts'
import { allKeys } from '../lease/lease-calls.ts'
import {
  breakLock,
  listNames,
  readHistory,
  readLocks,
  requestYield,
  resizeSemaphore,
} from '../scripts/scripts.generated.ts'
import { decodeEvent, decodeHolder, decodeLock, type RawEvent, type RawHolder, type RawLock } from './decode-lock.ts'

/** Of those who wait, this many are shown. */
const WAITERS_SHOWN = 50

export function redisLockRegistry({
  space,
  commands,
}: {
  readonly space: KeySpace
  readonly commands: Commands
}): LockRegistryProvider {
  const readAll = async (names: readonly string[]): Promise<(LockState | undefined)[]> => {
    if (names.length === 0) return []
    const call = new LockCall(space)
    for (const name of names) {
      const bucket = call.bucket(name)
      readLocks.keys.lock(call.leaseKeys, allKeys(space, bucket, name))
      readLocks.args.lock(call.leaseArgs, { bucket: call.number(bucket) })
    }
    const args: string[] = []
    readLocks.args.once(args, { ...call.head, waiterCount: WAITERS_SHOWN })
    const raw = (await commands.run(readLocks, call.keys, args.concat(call.leaseArgs))) as RawLock[]
    return names.map((name, i) => decodeLock(name, raw[i]!))
  }

  /** A script on one lock. */
  const runOn = <Of extends object>(
    script: typeof breakLock | typeof requestYield | typeof resizeSemaphore,
    name: string,
    put: (to: string[], of: LockCall['head'] & Of) => void,
    of: Of,
  ): Promise<unknown> => {
    const call = new LockCall(space)
    script.keys.lock(call.leaseKeys, allKeys(space, call.bucket(name), name))
    const args: string[] = []
    put(args, { ...call.head, ...of })
    return commands.run(script as Script, call.keys, args)
  }

  const namesAfter = async (prefix: string, after: string | undefined, limit: number): Promise<string[]> => {
    const isFurther = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0
    const from = isFurther ? `(${after}` : `[${prefix}`
    const found = (await commands.run(listNames, space.indexes, [from, prefix, String(limit)])) as string[]
    const ordered = found.map((name) => ({ name, bytes: Buffer.from(name) }))
    ordered.sort((one, two) => Buffer.compare(one.bytes, two.bytes))
    return ordered.slice(0, limit).map(({ name }) => name)
  }

  return {
    async list({ prefix, after, limit }): Promise<LockPage> {
      const locks: LockState[] = []
      let from = after
      // One more than asked for shows whether there is a next page. What is not in use any more leaves the index as it is seen.
      for (;;) {
        const wanted = limit + 1 - locks.length
        const names = await namesAfter(prefix, from, wanted)
        locks.push(...(await readAll(names)).filter(isInUse))
        from = names.at(-1)
        if (names.length < wanted || locks.length > limit) break
      }
      if (locks.length <= limit) return { locks }
      const page = locks.slice(0, limit)
      return { locks: page, next: page.at(-1)!.name }
    },

    async read(name) {
      const [lock] = await readAll([name])
      return lock
    },

    async history(name, limit) {
      if (limit < 1) return []
      const raw = (await commands.run(
        readHistory,
        [space.history(bucketOf(name), name)],
        [String(limit)],
      )) as RawEvent[]
      return raw.map(decodeEvent)
    },

    async break(name, { reason, by }) {
      const raw = (await runOn(breakLock, name, breakLock.args.once, { reason, by })) as RawHolder[]
      return raw.map(decodeHolder)
    },

    async requestYield(name, { reason }) {
      const raw = (await runOn(requestYield, name, requestYield.args.once, { reason })) as RawHolder[]
      return raw.map(decodeHolder)
    },

    async resize(name, max) {
      await runOn(resizeSemaphore, name, resizeSemaphore.args.once, { max })
    },
  }
}

function isInUse(lock: LockState | undefined): lock is LockState {
  return lock !== undefined && (lock.holders.length > 0 || lock.waitingCount > 0)
}
