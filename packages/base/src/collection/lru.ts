export interface LruOptions {
  /** Entries that are kept. */
  readonly most: number
  /** What all of them may weigh together. @default no bound */
  readonly mostWeight?: number
  /** Called for those that had to go because there were too many. */
  readonly onEvicted?: () => void
}

/** Keeps what was used last. A map that remembers the order of use. */
export class Lru<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly weight: number }>()
  readonly #options: LruOptions
  #weight = 0
  /** The last in order, where it is known and still there. */
  #newest: K | undefined

  constructor(options: LruOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  get weight(): number {
    return this.#weight
  }

  /** Counts as use. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (key === this.#newest) return entry.value
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#newest = key
    return entry.value
  }

  /** What weighs more than all may together is not kept. */
  set(key: K, value: V, weight = 1): void {
    const { most, mostWeight = Number.POSITIVE_INFINITY, onEvicted } = this.#options
    this.delete(key)
    if (weight > mostWeight) return
    this.#entries.set(key, { value, weight })
    this.#newest = key
    this.#weight += weight
    while (this.#entries.size > most || this.#weight > mostWeight) {
      this.delete(this.#entries.keys().next().value as K)
      onEvicted?.()
    }
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#weight -= entry.weight
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }
}
