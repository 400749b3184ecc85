type Term = readonly [string, string]

/** The filter without one of its terms. */
export const without = (terms: readonly Term[], name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(terms.filter(([each]) => each !== name))

interface Counted {
  readonly value: number
  readonly exact: boolean
}

/** The term that keeps most away: without it the most would fit. `undefined`: dropping a single one shows nothing, or nothing is known yet. */
export function weakestTerm(
  terms: readonly Term[],
  counts: readonly (Counted | undefined)[],
): { readonly term: Term; readonly count: Counted } | undefined {
  let found: { term: Term; count: Counted } | undefined
  for (const [index, term] of terms.entries()) {
    const count = counts[index]
    if (count !== undefined && count.value > (found?.count.value ?? 0)) found = { term, count }
  }
  return found
}
