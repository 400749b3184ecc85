const turns = new WeakMap<object, Map<string, Promise<unknown>>>()

/** One after the other what is about the same thing of `owner`, on this node. */
export function inTurn<T>(owner: object, about: string, work: () => Promise<T>): Promise<T> {
  const last = turns.get(owner) ?? new Map<string, Promise<unknown>>()
  turns.set(owner, last)
  const mine = (last.get(about) ?? Promise.resolve()).then(work, work)
  last.set(about, mine)
  const over = (): void => {
    if (last.get(about) === mine) last.delete(about)
  }
  mine.then(over, over)
  return mine
}
