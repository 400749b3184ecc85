/** Few enough to list them all in one call, many enough to spread over a cluster. Every process must agree on it. */
export const BUCKET_COUNT = 16

/**
 * Where everything is: `<prefix>:{bNN}:<what>:<name>`. The hash tag puts all keys of a bucket on one node of a cluster. A prefix
 * holds no brace, so the keys of two prefixes cannot meet.
 */
export class KeySpace {
  /** By bucket: which names are in use, and the mark of the fences. */
  readonly indexes: readonly string[]
  /** Channel of an address, without the address. */
  readonly channel: string
  readonly memberEnds: string
  readonly members: string
  /** Where the name begins in a `lock` key, in bytes from 1. */
  readonly nameFrom: number
  readonly #heads: readonly string[]

  constructor(prefix: string) {
    this.#heads = Array.from({ length: BUCKET_COUNT }, (_, i) => `${prefix}:{b${String(i).padStart(2, '0')}}:`)
    this.indexes = this.#heads.map((head) => `${head}index`)
    this.channel = `${prefix}:{to}:`
    this.memberEnds = `${prefix}:{members}:ends`
    this.members = `${prefix}:{members}:all`
    this.nameFrom = Buffer.byteLength(`${this.#heads[0]}lock:`) + 1
  }

  lock(bucket: number, name: string): string {
    return `${this.#heads[bucket]}lock:${name}`
  }
  queue(bucket: number, name: string): string {
    return `${this.#heads[bucket]}queue:${name}`
  }
  places(bucket: number, name: string): string {
    return `${this.#heads[bucket]}places:${name}`
  }
  history(bucket: number, name: string): string {
    return `${this.#heads[bucket]}history:${name}`
  }
  holders(bucket: number, name: string): string {
    return `${this.#heads[bucket]}holders:${name}`
  }
  max(bucket: number, name: string): string {
    return `${this.#heads[bucket]}max:${name}`
  }
}

/** FNV-1a over the code units. */
export function bucketOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  // The low bits of FNV are its worst: fold the high ones in.
  return ((hash >>> 16) ^ hash) & (BUCKET_COUNT - 1)
}
