/** What a query asks for beyond names: labels it selects and groups by. Reads as much of PromQL as our rules and panels use. */
export interface Selected {
  readonly metric: string
  readonly matches: readonly { readonly label: string; readonly operator: string; readonly value: string }[]
}

export function selectorsOf(query: string): readonly Selected[] {
  return [...query.matchAll(/\b((?:lockstep|nodejs|process)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, metric, inside = '']) => ({
      metric: metric!,
      matches: [...inside.matchAll(/(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)].map(([, label, operator, value]) => ({
        label: label!,
        operator: operator!,
        value: value!,
      })),
    }),
  )
}

export const groupedBy = (query: string): readonly string[] =>
  [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(',').map((label) => label.trim()))

/** Labels that the answer still has; `undefined`: all that the metric has. */
export function labelsLeft(query: string): readonly string[] | undefined {
  const isSummed = /\b(?:sum|min|max|avg|count)\s*(?:by\b|\()/.test(query)
  return isSummed ? groupedBy(query).filter((label) => label !== 'le') : undefined
}
