import type { Design } from './design.ts'
import { lastPlace, put, setOrDelete } from './entries.ts'
import type { Json } from './json.ts'
import { bodyKey, type Entry, FIELD, INPUT, type Parts } from './parts.ts'
import { connectionKey, freeKey } from './read-graph.ts'
import { outermost, type Position, ROOT, type Slot, withInside } from './view.ts'

export interface NewStep {
  readonly type: string
  readonly name?: string
  readonly inputs?: Readonly<Record<string, Json>>
  readonly position?: Position
  /** Where it goes. @default the workflow itself */
  readonly body?: string
  /** Bodies it begins with. */
  readonly slots?: readonly Slot[]
  /** A step that leads to it. */
  readonly after?: { readonly step: string; readonly outcome: string }
  /** A connection it is put into: its end now leads on from the new step. */
  readonly into?: string
  /** The way out that leads on, where it is put into a connection. @default 'done' */
  readonly outcome?: string
}

/** Answers the key of the new step. */
export const addStep = (design: Design, wanted: NewStep): string =>
  design.edit((parts) => {
    const line = wanted.into === undefined ? undefined : parts.connections.get(wanted.into)
    const before = wanted.after === undefined ? undefined : parts.steps.get(wanted.after.step)
    const body = (line ?? before)?.get('body') ?? wanted.body ?? ROOT
    const id = freeId(parts, wanted.type)
    const step = put(parts.steps, id, { id, type: wanted.type, body, at: lastPlace(parts.steps) })
    if (wanted.name !== undefined) step.set(`${FIELD}name`, wanted.name)
    for (const [name, value] of Object.entries(wanted.inputs ?? {})) step.set(INPUT + name, value)
    if (wanted.position !== undefined) place(step, wanted.position)
    for (const slot of wanted.slots ?? []) addSlot(parts, id, slot)
    if (before !== undefined) putLine(parts, body as string, before.get('id') as string, wanted.after!.outcome, id)
    if (line !== undefined) {
      const [from, outcome, to] = [line.get('from'), line.get(`${FIELD}outcome`) ?? 'done', line.get('to')] as string[]
      parts.connections.delete(wanted.into!)
      putLine(parts, body as string, from!, outcome!, id)
      putLine(parts, body as string, id, wanted.outcome ?? 'done', to!)
    }
    return id
  })

/** With everything inside them and every connection of theirs. */
export function removeSteps(design: Design, keys: Iterable<string>): void {
  const gone = withInside(design.view, keys)
  if (gone.size === 0) return
  design.edit((parts) => {
    for (const [key, line] of [...parts.connections.entries()]) {
      const body = line.get('body') as string
      const held = gone.has(parts.bodies.get(body)?.get('step') as string)
      const ends = [line.get('from'), line.get('to')].some((id) => stepIn(parts, body, id as string, gone))
      if (held || ends) parts.connections.delete(key)
    }
    for (const [key, body] of [...parts.bodies.entries()])
      if (gone.has(body.get('step') as string)) parts.bodies.delete(key)
    for (const key of gone) parts.steps.delete(key)
  })
}

const stepIn = (parts: Parts, body: string, id: string, keys: ReadonlySet<string>): boolean =>
  [...keys].some((key) => parts.steps.get(key)?.get('id') === id && parts.steps.get(key)?.get('body') === body)

/** The display name. References go by id and stay. */
export const rename = (design: Design, key: string, name: string): void =>
  setField(design, key, 'name', name.trim() === '' ? undefined : name)

export const setField = (design: Design, key: string, name: string, value: Json | undefined): void =>
  design.edit((parts) => withStep(parts, key, (step) => setOrDelete(step, FIELD + name, value)), `${key} ${name}`)

export const setInput = (design: Design, key: string, name: string, value: Json | undefined): void =>
  design.edit((parts) => withStep(parts, key, (step) => setOrDelete(step, INPUT + name, value)), `${key} i ${name}`)

/** Places of many steps are one step of undo. */
export const moveSteps = (design: Design, places: ReadonlyMap<string, Position>, group?: string): void =>
  design.edit((parts) => {
    for (const [key, position] of places) withStep(parts, key, (step) => place(step, position))
  }, group)

export const setDisabled = (design: Design, keys: Iterable<string>, disabled: boolean): void =>
  design.edit((parts) => {
    for (const key of keys) withStep(parts, key, (step) => setOrDelete(step, 'disabled', disabled ? true : undefined))
  })

/** Puts steps of one body into a new container; what led in and out leads to it and from it. Answers its key. */
export function wrapSteps(design: Design, keys: Iterable<string>, type: string, slot: Slot): string | undefined {
  const chosen = outermost(design.view, keys).map((key) => design.view.steps.get(key)!)
  const [first] = chosen
  if (first === undefined || chosen.some((step) => step.body !== first.body)) return undefined
  const ids = new Set(chosen.map((step) => step.id))
  const [left, top] = [
    Math.min(...chosen.map(({ position }) => position?.x ?? 0)),
    Math.min(...chosen.map(({ position }) => position?.y ?? 0)),
  ]
  return design.edit((parts) => {
    const id = freeId(parts, type)
    const container = put(parts.steps, id, { id, type, body: first.body, at: first.at })
    if (first.position !== undefined) place(container, { x: left, y: top })
    const inner = addSlot(parts, id, slot)
    for (const { key, position } of chosen)
      withStep(parts, key, (step) => {
        step.set('body', inner)
        if (position !== undefined) place(step, { x: position.x - left, y: position.y - top })
      })
    for (const [key, line] of [...parts.connections.entries()]) {
      if (line.get('body') !== first.body) continue
      const [from, to] = [line.get('from') as string, line.get('to') as string]
      const outcome = (line.get(`${FIELD}outcome`) as string | undefined) ?? 'done'
      const [begins, ends] = [ids.has(from), ids.has(to)]
      if (!begins && !ends) continue
      parts.connections.delete(key)
      if (begins && ends) putLine(parts, inner, from, outcome, to)
      else if (begins) putLine(parts, first.body, id, 'done', to)
      else putLine(parts, first.body, from, outcome, id)
    }
    return id
  })
}

/** One more body: of `branches` there may be several. Answers its key. */
export const addBody = (design: Design, step: string, slot: Slot): string =>
  design.edit((parts) => addSlot(parts, step, slot))

export function addSlot(parts: Parts, step: string, slot: Slot): string {
  let index: number | undefined
  if (slot === 'branches') for (index = 0; parts.bodies.has(bodyKey(step, slot, index)); ) index++
  const key = bodyKey(step, slot, index)
  if (!parts.bodies.has(key)) put(parts.bodies, key, { step, slot, at: index ?? 0 })
  return key
}

export function removeBody(design: Design, body: string): void {
  const inside = [...design.view.steps.values()].filter((step) => step.body === body).map(({ key }) => key)
  const gone = withInside(design.view, inside)
  design.edit((parts) => {
    for (const [key, line] of [...parts.connections.entries()])
      if (line.get('body') === body || gone.has(parts.bodies.get(line.get('body') as string)?.get('step') as string))
        parts.connections.delete(key)
    for (const [key, each] of [...parts.bodies.entries()])
      if (key === body || gone.has(each.get('step') as string)) parts.bodies.delete(key)
    for (const key of gone) parts.steps.delete(key)
  })
}

export function putLine(parts: Parts, body: string, from: string, outcome: string, to: string): string {
  const key = connectionKey(body, from, outcome, to)
  if (!parts.connections.has(key))
    put(parts.connections, key, {
      body,
      from,
      to,
      at: lastPlace(parts.connections),
      [`${FIELD}outcome`]: outcome === 'done' ? undefined : outcome,
    })
  return key
}

/** `log`, `log2`, `log3`: short, and what expressions read. */
export function freeId(parts: Parts, type: string): string {
  const word = type.replace(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '')
  const stem = /^[A-Za-z]/.test(word) ? word.slice(0, 56) : `step${word}`.slice(0, 56)
  const ids = new Set<unknown>([...parts.steps.values()].map((step) => step.get('id')))
  let id = stem
  for (let count = 2; ids.has(id) || parts.steps.has(id); count++) id = `${stem}${count}`
  return freeKey(id, (key) => parts.steps.has(key))
}

function withStep(parts: Parts, key: string, run: (step: Entry) => void): void {
  const step = parts.steps.get(key)
  if (step !== undefined) run(step)
}

export function place(step: Entry, { x, y }: Position): void {
  const layout = step.get(`${FIELD}layout`)
  const kept = typeof layout === 'object' && layout !== null && !Array.isArray(layout) ? layout : {}
  setOrDelete(step, `${FIELD}layout`, { ...kept, position: { x: Math.round(x), y: Math.round(y) } })
}
