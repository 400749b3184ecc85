/** Collections that are nearly always empty: they take memory with their first member. For objects of which there are many. */
export class SeldomSet<T> {
  #members: Set<T> | undefined

  get size(): number {
    return this.#members?.size ?? 0
  }

  has(member: T): boolean {
    return this.#members?.has(member) ?? false
  }

  add(member: T): void {
    this.#members ??= new Set()
    this.#members.add(member)
  }

  delete(member: T): boolean {
    return this.#members?.delete(member) ?? false
  }

  clear(): void {
    this.#members = undefined
  }

  [Symbol.iterator](): IterableIterator<T> {
    return (this.#members ?? none)[Symbol.iterator]() as IterableIterator<T>
  }
}

export class SeldomMap<K, V> {
  #members: Map<K, V> | undefined

  get size(): number {
    return this.#members?.size ?? 0
  }

  has(key: K): boolean {
    return this.#members?.has(key) ?? false
  }

  get(key: K): V | undefined {
    return this.#members?.get(key)
  }

  set(key: K, value: V): void {
    this.#members ??= new Map()
    this.#members.set(key, value)
  }

  delete(key: K): boolean {
    return this.#members?.delete(key) ?? false
  }

  clear(): void {
    this.#members = undefined
  }

  keys(): IterableIterator<K> {
    return (this.#members ?? nothing).keys() as IterableIterator<K>
  }

  values(): IterableIterator<V> {
    return (this.#members ?? nothing).values() as IterableIterator<V>
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return (this.#members ?? nothing)[Symbol.iterator]() as IterableIterator<[K, V]>
  }
}

const none: ReadonlySet<never> = new Set<never>()
const nothing: ReadonlyMap<never, never> = new Map<never, never>()
