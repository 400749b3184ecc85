interface Schema {
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
}

const empty: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  null: null,
}

/** A value to begin with, for a JSON schema: its example, its default, else something of the right kind. */
export function exampleOf(given: unknown, depth = 0): unknown {
  if (typeof given !== 'object' || given === null || depth > 6) return depth === 0 ? {} : null
  const schema = given as Schema
  if (schema.default !== undefined) return schema.default
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'object' || schema.properties !== undefined) {
    const members = Object.entries(schema.properties ?? {})
    return Object.fromEntries(members.map(([name, each]) => [name, exampleOf(each, depth + 1)]))
  }
  return type === undefined ? null : (empty[type] ?? null)
}
