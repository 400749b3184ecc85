import * as Y from 'yjs'
import { readDisabled } from './disabled-step.ts'
import { lastPlace, put } from './entries.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { bodyKey, FIELD, INPUT, MARK, type Parts, partsOf } from './parts.ts'
import { ROOT, SLOTS } from './view.ts'

/** Everybody who reads the same JSON gets the same history, so that their later edits can be joined. */
const SEED_CLIENT = 1

/** Why a document cannot be drawn; undefined when it can. */
export function unreadable(json: unknown): string | undefined {
  if (!isObject(json)) return 'It is not an object.'
  if (typeof json.id !== 'string') return 'It has no id.'
  if (!isGraph(json)) return 'Its activities and connections are not lists of activities and connections.'
  return undefined
}

export function readGraph(json: JsonObject): Y.Doc {
  const seed = new Y.Doc()
  seed.clientID = SEED_CLIENT
  seed.transact(() => new Reader(partsOf(seed)).document(json))
  const doc = new Y.Doc()
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(seed), 'seed')
  return doc
}

export const isGraph = (json: Json | undefined): json is JsonObject =>
  isObject(json) &&
  Array.isArray(json.activities) &&
  json.activities.every((each) => isObject(each) && typeof each.id === 'string' && typeof each.type === 'string') &&
  (json.connections === undefined ||
    (Array.isArray(json.connections) &&
      json.connections.every((each) => isObject(each) && typeof each.from === 'string' && typeof each.to === 'string')))

export class Reader {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  document({ activities, connections, variables, notes, ...members }: JsonObject): void {
    const { document } = this.#parts
    for (const [name, value] of Object.entries(members)) document.set(FIELD + name, value)
    if (isObject(variables)) {
      document.set(`${MARK}variables`, true)
      for (const [name, value] of Object.entries(variables)) this.#parts.variables.set(name, value)
    } else if (variables !== undefined) document.set(`${FIELD}variables`, variables)
    if (isNotes(notes)) {
      document.set(`${MARK}notes`, true)
      notes.forEach(({ id, ...rest }, at) => {
        const note = put(this.#parts.notes, id as string, { at })
        for (const [name, value] of Object.entries(rest)) note.set(FIELD + name, value)
      })
    } else if (notes !== undefined) document.set(`${FIELD}notes`, notes)
    this.#body(ROOT, { activities: activities!, ...(connections === undefined ? {} : { connections }) }, {})
  }

  #body(key: string, { activities, connections, ...rest }: JsonObject, place: JsonObject): void {
    const body = put(this.#parts.bodies, key, place)
    for (const [name, value] of Object.entries(rest)) body.set(FIELD + name, value)
    if (connections !== undefined) body.set(`${MARK}connections`, true)
    this.contents(key, activities as readonly JsonObject[], (connections ?? []) as readonly JsonObject[])
  }

  /** Answers the keys of the activities, inner ones not counted. */
  contents(body: string, activities: readonly JsonObject[], connections: readonly JsonObject[]): readonly string[] {
    const lines = [...connections]
    const stepPlace = lastPlace(this.#parts.steps)
    const linePlace = lastPlace(this.#parts.connections)
    const keys = activities.map((json, index) => {
      const { activity, disabled, stashed } = readDisabled(json, lines)
      lines.push(...stashed)
      return this.#step(activity, disabled, body, stepPlace + index)
    })
    for (const [index, line] of lines.entries()) this.#connection(line, body, linePlace + index)
    return keys
  }

  #step({ id, type, inputs, ...members }: JsonObject, disabled: boolean, body: string, at: number): string {
    const key = freeKey(id as string, (each) => this.#parts.steps.has(each))
    const step = put(this.#parts.steps, key, { id: id!, type: type!, body, at, ...(disabled && { disabled }) })
    if (isObject(inputs)) {
      step.set(`${MARK}inputs`, true)
      for (const [name, value] of Object.entries(inputs)) step.set(INPUT + name, value)
    } else if (inputs !== undefined) step.set(`${FIELD}inputs`, inputs)
    for (const [name, value] of Object.entries(members)) {
      const slot = SLOTS.find((each) => each === name)
      if (slot === 'branches' && Array.isArray(value) && value.every(isGraph)) {
        step.set(`${MARK}branches`, true)
        for (const [index, branch] of value.entries())
          this.#body(bodyKey(key, slot, index), branch, { step: key, slot, at: index })
      } else if (slot !== undefined && slot !== 'branches' && isGraph(value))
        this.#body(bodyKey(key, slot), value, { step: key, slot, at: 0 })
      else step.set(FIELD + name, value)
    }
    return key
  }

  #connection({ from, to, ...rest }: JsonObject, body: string, at: number): void {
    const wanted = connectionKey(body, from as string, String(rest.outcome ?? 'done'), to as string)
    const key = freeKey(wanted, (each) => this.#parts.connections.has(each))
    const line = put(this.#parts.connections, key, { body, from: from!, to: to!, at })
    for (const [name, value] of Object.entries(rest)) line.set(FIELD + name, value)
  }
}

export const connectionKey = (body: string, from: string, outcome: string, to: string): string =>
  `${body}|${from} ${outcome} ${to}`

const isNotes = (notes: Json | undefined): notes is readonly JsonObject[] =>
  Array.isArray(notes) &&
  notes.every((note) => isObject(note) && typeof note.id === 'string' && typeof note.text === 'string') &&
  new Set(notes.map((note) => (note as JsonObject).id)).size === notes.length

/** `/` stands between a step and its slot, so no key may have one. */
export function freeKey(wanted: string, taken: (key: string) => boolean): string {
  const plain = wanted.includes('|') ? wanted : wanted.replaceAll('/', '~')
  let key = plain
  for (let count = 2; taken(key); count++) key = `${plain}~${count}`
  return key
}
