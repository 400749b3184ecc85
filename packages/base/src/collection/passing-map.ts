/**
 * A map whose entries come and go all the time. When a plain `Map` makes room the table that it leaves keeps what it held, and is itself kept by
 * the one before it until the next full collection: most of what passes through a busy map would outlive its time by seconds. Here a table
 * holds cells, which are emptied when an entry goes.
 */
export class PassingMap<K, V> {
  readonly #cells = new Map<K, Cell<V>>()

  get size(): number {
    return this.#cells.size
  }

  has(key: K): boolean {
    return this.#cells.has(key)
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value
  }

  set(key: K, value: V): void {
    const cell = this.#cells.get(key)
    if (cell === undefined) this.#cells.set(key, { value })
    else cell.value = value
  }

  delete(key: K): boolean {
    const cell = this.#cells.get(key)
    if (cell === undefined) return false
    cell.value = undefined
    return this.#cells.delete(key)
  }

  /** As for a map: what is added meanwhile is visited too, what is deleted is not. */
  *values(): Generator<V, void> {
    for (const { value } of this.#cells.values()) yield value as V
  }

  clear(): void {
    for (const cell of this.#cells.values()) cell.value = undefined
    this.#cells.clear()
  }
}

interface Cell<V> {
  value: V | undefined
}
