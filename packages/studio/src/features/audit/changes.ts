export interface Change {
  /** Where, such as `rate.limit` or `roles[2]`; empty: the whole. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

const MOST = 100

/** Members that are not as they were, in the order of their names; `undefined` where there is none. At most a hundred. */
export function changesOf(before: unknown, after: unknown): readonly Change[] {
  const found: Change[] = []
  const walk = (path: string, old: unknown, now: unknown): void => {
    if (found.length >= MOST || JSON.stringify(old) === JSON.stringify(now)) return
    if (!(isTree(old) && isTree(now) && Array.isArray(old) === Array.isArray(now))) {
      found.push({ path, before: old, after: now })
      return
    }
    const isList = Array.isArray(old)
    for (const name of [...new Set([...Object.keys(old), ...Object.keys(now)])].sort(isList ? byNumber : undefined))
      walk(isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`, old[name], now[name])
  }
  walk('', before ?? undefined, after ?? undefined)
  return found
}

const byNumber = (a: string, b: string): number => Number(a) - Number(b)

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
