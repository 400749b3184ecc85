/**
 * Locks are taken in the order of names, by every process alike, so that two batches cannot each hold what the other
 * waits for. Several of one name stay in the order in which they came. Answers go back to where their requests stood.
 */
export interface InOrder<Item> {
  readonly items: readonly Item[]
  /** Brings what runs parallel to `items` back into the order of the requests. */
  restore<Answer>(answers: readonly Answer[]): Answer[]
}

export function inOrder<Item extends { readonly name: string }>(requests: readonly Item[]): InOrder<Item> {
  if (requests.length < 2) return { items: requests, restore: (answers) => [...answers] }
  const order = requests.map((_, index) => index).sort((a, b) => compare(requests[a]!.name, requests[b]!.name) || a - b)
  return {
    items: order.map((index) => requests[index]!),
    restore<Answer>(answers: readonly Answer[]) {
      const restored = new Array<Answer>(answers.length)
      for (const [place, index] of order.entries()) restored[index] = answers[place]!
      return restored
    },
  }
}

/** By code units. Which order does not matter, only that it is the same everywhere. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
