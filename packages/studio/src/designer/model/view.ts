import type { Json, JsonObject } from './json.ts'

export interface Position {
  readonly x: number
  readonly y: number
}

/** Bodies are named by the step that holds them and their slot, such as `pay/catch` or `both/branches:1`; this is the workflow itself. */
export const ROOT = ''

export type Slot = 'body' | 'branches' | 'catch' | 'finally' | 'compensate'
export const SLOTS: readonly Slot[] = ['body', 'branches', 'catch', 'finally', 'compensate']

export interface Step {
  /** The id, unless two steps claim the same one. */
  readonly key: string
  readonly id: string
  readonly type: string
  /** The display name; the id where it has none. */
  readonly name: string
  readonly body: string
  readonly at: number
  readonly inputs: JsonObject
  /** Every other member: policies, description, `x-…`. */
  readonly fields: JsonObject
  /** In its body; undefined before anybody placed it. */
  readonly position: Position | undefined
  readonly disabled: boolean
}

export interface Body {
  readonly key: string
  readonly step: string
  readonly slot: Slot
  readonly at: number
}

export interface Connection {
  readonly key: string
  readonly body: string
  readonly from: string
  readonly outcome: string
  readonly to: string
  readonly at: number
}

export interface Note {
  readonly id: string
  readonly text: string
  readonly at: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** What the document says now. Parts that did not change are the same objects as before. */
export interface DesignView {
  /** Members of the document besides those below. */
  readonly members: JsonObject
  readonly steps: ReadonlyMap<string, Step>
  readonly bodies: ReadonlyMap<string, Body>
  readonly connections: ReadonlyMap<string, Connection>
  readonly notes: ReadonlyMap<string, Note>
  readonly variables: Readonly<Record<string, Json>>
}

export const byPlace = <T extends { readonly at: number; readonly key?: string }>(a: T, b: T): number =>
  a.at - b.at || ((a.key ?? '') < (b.key ?? '') ? -1 : 1)

interface Index {
  readonly stepsIn: ReadonlyMap<string, readonly Step[]>
  readonly bodiesOf: ReadonlyMap<string, readonly Body[]>
  readonly from: ReadonlyMap<string, readonly Connection[]>
  readonly to: ReadonlyMap<string, readonly Connection[]>
  readonly byId: ReadonlyMap<string, Step>
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

const indexes = new WeakMap<DesignView, Index>()

/** Made once for each view, when it is first asked. */
function indexOf(view: DesignView): Index {
  const known = indexes.get(view)
  if (known !== undefined) return known
  const lines = [...view.connections.values()].sort(byPlace)
  const steps = [...view.steps.values()].sort(byPlace)
  const bodies = [...view.bodies.values()].sort(
    (a, b) => SLOTS.indexOf(a.slot) - SLOTS.indexOf(b.slot) || byPlace(a, b),
  )
  const index: Index = {
    stepsIn: groupBy(steps, (step) => step.body),
    bodiesOf: groupBy(bodies, (body) => body.step),
    from: groupBy(lines, (line) => `${line.body}|${line.from}`),
    to: groupBy(lines, (line) => `${line.body}|${line.to}`),
    byId: new Map(steps.toReversed().map((step) => [step.id, step])),
  }
  indexes.set(view, index)
  return index
}

export const stepsOf = (view: DesignView, body: string): readonly Step[] => indexOf(view).stepsIn.get(body) ?? []

export const bodiesOf = (view: DesignView, step: string): readonly Body[] => indexOf(view).bodiesOf.get(step) ?? []

export const connectionsFrom = (view: DesignView, { id, body }: Step): readonly Connection[] =>
  indexOf(view).from.get(`${body}|${id}`) ?? []

export const connectionsTo = (view: DesignView, { id, body }: Step): readonly Connection[] =>
  indexOf(view).to.get(`${body}|${id}`) ?? []

export const stepById = (view: DesignView, id: string): Step | undefined => indexOf(view).byId.get(id)

/** These steps and everything inside them. */
export function withInside(view: DesignView, keys: Iterable<string>): ReadonlySet<string> {
  const found = new Set(keys)
  for (let grown = -1; grown !== found.size; ) {
    grown = found.size
    for (const step of view.steps.values()) {
      const holder = view.bodies.get(step.body)?.step
      if (holder !== undefined && found.has(holder)) found.add(step.key)
    }
  }
  return found
}

/** Those of `keys` that lie in no other of them. */
export function outermost(view: DesignView, keys: Iterable<string>): readonly string[] {
  const all = new Set(keys)
  const inside = (key: string): boolean => {
    const holder = view.bodies.get(view.steps.get(key)?.body ?? ROOT)?.step
    return holder !== undefined && (all.has(holder) || inside(holder))
  }
  return [...all].filter((key) => view.steps.has(key) && !inside(key))
}
