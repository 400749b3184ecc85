/**
 * A set that is filled and emptied all the time. See `PassingMap` for why that should not be a plain `Set` of long life: here each filling has a
 * set of its own, which goes with what it held.
 */
export class PassingSet<T extends object> {
  #filling: Set<T> | undefined

  get size(): number {
    return this.#filling?.size ?? 0
  }

  add(value: T): void {
    this.#filling ??= new Set()
    this.#filling.add(value)
  }

  /** The first ones, in the order in which they came: they are not in it any more. */
  take(most: number): T[] {
    const filling = this.#filling
    if (filling === undefined || most <= 0) return []
    if (filling.size <= most) {
      this.#filling = undefined
      return [...filling]
    }
    const taken: T[] = []
    for (const value of filling) {
      if (taken.length >= most) break
      filling.delete(value)
      taken.push(value)
    }
    return taken
  }

  clear(): void {
    this.#filling = undefined
  }
}
