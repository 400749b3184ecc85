/** What a value is made of, as far as a schema or an example tells. Pure. */
export interface Shape {
  readonly type: string
  readonly note?: string | undefined
  /** What people call it. */
  readonly title?: string | undefined
  readonly members?: Readonly<Record<string, Shape>> | undefined
  readonly items?: Shape | undefined
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
}

const MOST_MEMBERS = 200
const DEEPEST = 6

export function shapeOfSchema(given: unknown, depth = 0): Shape {
  if (typeof given !== 'object' || given === null || depth > DEEPEST) return { type: 'any' }
  const { type, description, properties, items } = given as Schema
  const members = properties && mapMembers(Object.entries(properties), (each) => shapeOfSchema(each, depth + 1))
  return {
    type: (typeof type === 'string' ? type : type?.join(' or ')) ?? (members === undefined ? 'any' : 'object'),
    note: description,
    members,
    items: items === undefined ? undefined : shapeOfSchema(items, depth + 1),
  }
}

export function shapeOfValue(value: unknown, depth = 0): Shape {
  if (value === null) return { type: 'null' }
  if (Array.isArray(value)) {
    const items = depth > DEEPEST || value.length === 0 ? undefined : shapeOfValue(value[0], depth + 1)
    return { type: 'array', note: `${value.length} items in this run`, items }
  }
  if (typeof value !== 'object') return { type: typeof value, note: shown(value) }
  const members =
    depth > DEEPEST ? undefined : mapMembers(Object.entries(value), (each) => shapeOfValue(each, depth + 1))
  return { type: 'object', members }
}

function mapMembers<T>(entries: readonly (readonly [string, T])[], make: (each: T) => Shape) {
  return Object.fromEntries(entries.slice(0, MOST_MEMBERS).map(([name, each]) => [name, make(each)]))
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** What the schema promises, and beside it what a run really had. */
export function merged(a: Shape, b: Shape): Shape {
  const names = [...new Set([...Object.keys(a.members ?? {}), ...Object.keys(b.members ?? {})])]
  const either = (name: string): Shape => {
    const [left, right] = [a.members?.[name], b.members?.[name]]
    return left === undefined ? right! : right === undefined ? left : merged(left, right)
  }
  return {
    type: a.type === 'any' ? b.type : a.type,
    note: a.note ?? b.note,
    title: a.title ?? b.title,
    members: names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, either(name)])),
    items: a.items && b.items ? merged(a.items, b.items) : (a.items ?? b.items),
  }
}
