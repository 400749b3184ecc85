import { writeDisabled } from './disabled-step.ts'
import { inOrder, type Json, type JsonObject } from './json.ts'
import { bodyKey, type Entry, FIELD, INPUT, MARK, type Parts, prefixed } from './parts.ts'
import { ROOT, SLOTS } from './view.ts'

const DOCUMENT = [
  ...['$schema', 'id', 'name', 'description', 'tags', 'input', 'output', 'variables', 'flow', 'activities'],
  ...['connections', 'layout', 'notes'],
]
const ACTIVITY = [
  ...['id', 'type', 'name', 'description', 'inputs', 'retry', 'timeout', 'heartbeatTimeout', 'lock', 'limit'],
  ...['breaker', 'effect', 'onError', 'join', ...SLOTS, 'layout', 'notes'],
]

export interface WrittenGraph {
  readonly json: JsonObject
  /** Where each step stands in it. */
  readonly pointers: ReadonlyMap<string, string>
}

/** The graph document. One order for everything, so that equal documents are equal text. */
export function writeGraph(parts: Parts): WrittenGraph {
  const writer = new Writer(parts)
  const { document } = parts
  const members: Record<string, Json> = prefixed(document, FIELD)
  const variables = Object.fromEntries(parts.variables.entries())
  if (document.has(`${MARK}variables`) || parts.variables.size > 0) members.variables = inOrder(variables)
  if (document.has(`${MARK}notes`) || parts.notes.size > 0) members.notes = writer.notes()
  return { json: inOrder({ ...members, ...writer.body(ROOT, '') }, DOCUMENT), pointers: writer.pointers }
}

type Placed = readonly [string, Entry]

class Writer {
  readonly pointers = new Map<string, string>()
  readonly #parts: Parts
  readonly #stepsIn: ReadonlyMap<string, readonly Placed[]>
  readonly #linesIn: ReadonlyMap<string, readonly Placed[]>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#stepsIn = grouped(parts.steps)
    this.#linesIn = grouped(parts.connections)
  }

  body(key: string, pointer: string): JsonObject {
    const entry = this.#parts.bodies.get(key)
    let lines = (this.#linesIn.get(key) ?? []).map(([, line]) => connection(line))
    const activities = (this.#stepsIn.get(key) ?? []).map(([step, each], index) => {
      const at = `${pointer}/activities/${index}`
      this.pointers.set(step, at)
      const activity = this.#activity(step, each, at)
      if (each.get('disabled') !== true) return activity
      const written = writeDisabled(activity, lines)
      lines = [...written.lines]
      return inOrder(written.activity as Record<string, Json>, ACTIVITY)
    })
    const written = entry?.has(`${MARK}connections`) === true || lines.length > 0
    const extra = entry === undefined ? {} : prefixed(entry, FIELD)
    return inOrder({ ...extra, activities, ...(written && { connections: lines }) }, ['activities', 'connections'])
  }

  notes(): readonly Json[] {
    return sorted([...this.#parts.notes.entries()]).map(([id, note]) =>
      inOrder({ id, ...prefixed(note, FIELD) }, ['id', 'text', 'x', 'y', 'width', 'height']),
    )
  }

  #activity(key: string, step: Entry, pointer: string): JsonObject {
    const members: Record<string, Json> = {
      ...prefixed(step, FIELD),
      id: step.get('id')!,
      type: step.get('type')!,
    }
    const inputs = prefixed(step, INPUT)
    if (step.has(`${MARK}inputs`) || Object.keys(inputs).length > 0) members.inputs = inOrder(inputs)
    for (const slot of SLOTS) {
      if (slot === 'branches') {
        const branches = this.#branches(key)
        if (step.has(`${MARK}branches`) || branches.length > 0)
          members.branches = branches.map((body, index) => this.body(body, `${pointer}/branches/${index}`))
      } else if (this.#parts.bodies.has(bodyKey(key, slot)))
        members[slot] = this.body(bodyKey(key, slot), `${pointer}/${slot}`)
    }
    return inOrder(members, ACTIVITY)
  }

  #branches(key: string): readonly string[] {
    const prefix = bodyKey(key, 'branches', '')
    return sorted([...this.#parts.bodies.entries()].filter(([body]) => body.startsWith(prefix))).map(([body]) => body)
  }
}

const connection = (line: Entry): JsonObject =>
  inOrder({ ...prefixed(line, FIELD), from: line.get('from')!, to: line.get('to')! }, ['from', 'outcome', 'to'])

function grouped(map: { entries(): Iterable<[string, Entry]> }): ReadonlyMap<string, readonly Placed[]> {
  const found = new Map<string, Placed[]>()
  for (const [key, entry] of map.entries()) {
    const body = entry.get('body') as string
    const own = found.get(body)
    if (own === undefined) found.set(body, [[key, entry]])
    else own.push([key, entry])
  }
  for (const [body, own] of found) found.set(body, sorted(own) as Placed[])
  return found
}

const sorted = (entries: readonly Placed[]): readonly Placed[] =>
  [...entries].sort(
    ([a, one], [b, other]) => (one.get('at') as number) - (other.get('at') as number) || (a < b ? -1 : 1),
  )
