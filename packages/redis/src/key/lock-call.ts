import { BUCKET_COUNT, bucketOf, type KeySpace } from './key-space.ts'

/** Gathers the keys and arguments of one script call: the index of each bucket that it touches, then those of each lease. */
export class LockCall {
  readonly leaseKeys: string[] = []
  readonly leaseArgs: string[] = []
  readonly #space: KeySpace
  readonly #bucketKeys: string[] = []
  /** Number of each bucket in this call, from 1; 0: not in it. */
  readonly #numbers = new Uint8Array(BUCKET_COUNT)
  #bucketCount = 0

  constructor(space: KeySpace) {
    this.#space = space
  }

  /** The bucket of `name`; its index is in the call from now on. */
  bucket(name: string): number {
    const bucket = bucketOf(name)
    if (this.#numbers[bucket] === 0) {
      this.#bucketCount += 1
      this.#numbers[bucket] = this.#bucketCount
      this.#bucketKeys.push(this.#space.indexes[bucket]!)
    }
    return bucket
  }

  number(bucket: number): number {
    return this.#numbers[bucket]!
  }

  get keys(): readonly string[] {
    return this.#bucketKeys.concat(this.leaseKeys)
  }

  /** The arguments that every call on locks begins with. */
  get head(): { readonly bucketCount: number; readonly nameFrom: number; readonly channel: string } {
    return { bucketCount: this.#bucketCount, nameFrom: this.#space.nameFrom, channel: this.#space.channel }
  }
}
