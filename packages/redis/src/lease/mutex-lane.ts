import type { LeaseKey, LeaseRequest } from '@lockstep/coordination'
import { BUCKET_COUNT, bucketOf, type KeySpace } from '../key/key-space.ts'
import { dropMutexes, takeMutexes } from '../scripts/scripts.generated.ts'
import { type ScriptCall, tailOf, tokenLine, wholeMs } from './lease-calls.ts'

/** A call of the fast path. Its answers come bucket by bucket: answer `i` is for item `order[i]`. */
export interface FastCall extends ScriptCall {
  readonly order: readonly number[]
}

/** Whether `other` can go in one call of `take-mutexes` with `one`. */
export function isAlike(one: LeaseRequest, other: LeaseRequest): boolean {
  return (
    one.holder === other.holder &&
    one.ttlMs === other.ttlMs &&
    one.fenceCount === other.fenceCount &&
    (one.address ?? one.wait?.address) === (other.address ?? other.wait?.address)
  )
}

/** `places`: which of the requests, all of them alike. */
export function takeMutexesCall(
  space: KeySpace,
  requests: readonly LeaseRequest[],
  places: readonly number[],
): FastCall {
  const sorted = byBucket(space, requests, places)
  const first = requests[places[0]!]!
  const args: string[] = []
  takeMutexes.args.once(args, {
    bucketCount: sorted.counts.length,
    nameFrom: space.nameFrom,
    ttlMs: wholeMs(first.ttlMs),
    fenceCount: first.fenceCount,
    tail: tailOf(first),
  })
  return {
    script: takeMutexes,
    keys: sorted.keys,
    args: args.concat(sorted.counts, sorted.tokens),
    order: sorted.order,
  }
}

export function dropMutexesCall(space: KeySpace, leases: readonly LeaseKey[], places: readonly number[]): FastCall {
  const sorted = byBucket(space, leases, places)
  const args: string[] = []
  dropMutexes.args.once(args, { bucketCount: sorted.counts.length, nameFrom: space.nameFrom })
  return {
    script: dropMutexes,
    keys: sorted.keys,
    args: args.concat(sorted.counts, sorted.tokens),
    order: sorted.order,
  }
}

/** Within a bucket the order stays: requests for one name are taken one after the other. */
export function sortedByBucket(items: readonly LeaseKey[], places: readonly number[]): number[] {
  const next = new Uint16Array(BUCKET_COUNT + 1)
  const buckets = places.map((place) => bucketOf(items[place]!.name))
  for (const bucket of buckets) next[bucket + 1]! += 1
  for (let bucket = 1; bucket < BUCKET_COUNT; bucket += 1) next[bucket]! += next[bucket - 1]!
  const sorted = new Array<number>(places.length)
  for (let i = 0; i < places.length; i += 1) {
    const at = next[buckets[i]!]!
    next[buckets[i]!] = at + 1
    sorted[at] = places[i]!
  }
  return sorted
}

interface Sorted {
  /** Of each bucket its index, then of each lease its lock. */
  readonly keys: string[]
  /** How many leases each bucket has. */
  readonly counts: string[]
  readonly tokens: string[]
  readonly order: readonly number[]
}

function byBucket(space: KeySpace, items: readonly LeaseKey[], places: readonly number[]): Sorted {
  const order = places.length === 1 ? places : sortedByBucket(items, places)
  const indexes: string[] = []
  const locks: string[] = []
  const counts: string[] = []
  const tokens: string[] = []
  let current = -1
  let count = 0
  for (const place of order) {
    const { name, token } = items[place]!
    const bucket = bucketOf(name)
    if (bucket !== current) {
      if (count > 0) counts.push(String(count))
      indexes.push(space.indexes[bucket]!)
      current = bucket
      count = 0
    }
    count += 1
    locks.push(space.lock(bucket, name))
    tokens.push(tokenLine(token))
  }
  counts.push(String(count))
  return { keys: indexes.concat(locks), counts, tokens, order }
}
