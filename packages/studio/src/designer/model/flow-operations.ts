import type { Design } from './design.ts'
import { lastPlace, put, setOrDelete } from './entries.ts'
import type { Json } from './json.ts'
import { FIELD } from './parts.ts'
import { putLine } from './step-operations.ts'
import { connectionsFrom, type DesignView, type Note, type Step, stepById } from './view.ts'

export type ConnectResult =
  | { readonly status: 'connected'; readonly key: string }
  /** Connections stay in one body, and lead from a step to another. */
  | { readonly status: 'not-possible' }

export function connect(design: Design, from: string, outcome: string, to: string): ConnectResult {
  const [one, other] = [design.view.steps.get(from), design.view.steps.get(to)]
  if (!canConnect(one, other)) return { status: 'not-possible' }
  const key = design.edit((parts) => putLine(parts, one!.body, one!.id, outcome, other!.id))
  return { status: 'connected', key }
}

export const canConnect = (from: Step | undefined, to: Step | undefined): boolean =>
  from !== undefined && to !== undefined && from.key !== to.key && from.body === to.body

/** Puts a step that is there already into a line of its body, which then leads through it. */
export function insertInto(design: Design, key: string, line: string, outcome: string): ConnectResult {
  const [step, found] = [design.view.steps.get(key), design.view.connections.get(line)]
  if (step === undefined || found === undefined || found.body !== step.body) return { status: 'not-possible' }
  if (found.from === step.id || found.to === step.id) return { status: 'not-possible' }
  design.edit((parts) => {
    parts.connections.delete(line)
    putLine(parts, found.body, found.from, found.outcome, step.id)
    putLine(parts, found.body, step.id, outcome, found.to)
  })
  return { status: 'connected', key: line }
}

export const disconnect = (design: Design, keys: Iterable<string>): void =>
  design.edit((parts) => {
    for (const key of keys) parts.connections.delete(key)
  })

export const setOutcome = (design: Design, key: string, outcome: string): void => {
  const line = design.view.connections.get(key)
  if (line === undefined || line.outcome === outcome) return
  design.edit((parts) => {
    parts.connections.delete(key)
    putLine(parts, line.body, line.from, outcome, line.to)
  })
}

export const addNote = (design: Design, note: Omit<Note, 'id' | 'at'>): string =>
  design.edit((parts) => {
    let count = 1
    while (parts.notes.has(`note${count}`)) count++
    const { text, x, y, width, height } = note
    put(parts.notes, `note${count}`, {
      at: lastPlace(parts.notes),
      ...Object.fromEntries(
        Object.entries({ text, x, y, width, height }).map(([name, value]) => [FIELD + name, value]),
      ),
    })
    return `note${count}`
  })

export const setNote = (design: Design, id: string, change: Partial<Omit<Note, 'id' | 'at'>>): void =>
  design.edit(
    (parts) => {
      const note = parts.notes.get(id)
      if (note === undefined) return
      for (const [name, value] of Object.entries(change)) setOrDelete(note, FIELD + name, value)
    },
    `note ${id} ${Object.keys(change).join()}`,
  )

export const removeNotes = (design: Design, ids: Iterable<string>): void =>
  design.edit((parts) => {
    for (const id of ids) parts.notes.delete(id)
  })

export const setVariable = (design: Design, name: string, value: Json | undefined): void =>
  design.edit((parts) => setOrDelete(parts.variables, name, value), `variable ${name}`)

/** A member of the document itself: name, description, input, flow. */
export const setMember = (design: Design, name: string, value: Json | undefined): void =>
  design.edit((parts) => setOrDelete(parts.document, FIELD + name, value), `member ${name}`)

/** Steps in the order they run, as far as one can tell: each after all that lead to it. */
export function inFlowOrder(view: DesignView, steps: readonly Step[]): readonly Step[] {
  const own = new Map(steps.map((step) => [step.id, step]))
  const targets = new Set(
    steps.flatMap((step) => connectionsFrom(view, step).map(({ to }) => to)).filter((id) => own.has(id)),
  )
  const done = new Set<string>()
  const ordered: Step[] = []
  const visit = (step: Step): void => {
    if (done.has(step.key)) return
    done.add(step.key)
    ordered.push(step)
    for (const { to } of connectionsFrom(view, step)) {
      const next = own.get(to) ?? stepById(view, to)
      if (next !== undefined && own.has(next.id)) visit(next)
    }
  }
  for (const step of steps) if (!targets.has(step.id)) visit(step)
  for (const step of steps) visit(step)
  return ordered
}
