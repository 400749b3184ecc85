/** What nodes were given and have not begun to answer, as the ways to take it back. */
export class Unanswered {
  readonly #of = new Map<string, Set<() => void>>()

  /** Until the function that it answers with is called. */
  add(node: string, takeBack: () => void): () => void {
    const given = this.#of.get(node) ?? new Set()
    this.#of.set(node, given)
    given.add(takeBack)
    return () => given.delete(takeBack)
  }

  takeBack(node: string): void {
    for (const takeBack of [...(this.#of.get(node) ?? [])]) takeBack()
  }
}
