export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** An object with `first` in this order, and all others by name: equal contents are equal text. */
export function inOrder(members: Readonly<Record<string, Json>>, first: readonly string[] = []): JsonObject {
  const known = first.filter((name) => Object.hasOwn(members, name))
  const others = Object.keys(members)
    .filter((name) => !first.includes(name))
    .sort()
  return Object.fromEntries([...known, ...others].map((name) => [name, members[name]!]))
}
