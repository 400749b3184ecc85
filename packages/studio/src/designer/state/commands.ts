import { arrange, placeAfter } from '../canvas/arrange.ts'
import { besideOthers, placeBelow } from '../canvas/free-place.ts'
import {
  addNote,
  addStep,
  bodiesOf,
  connectionsFrom,
  connectionsTo,
  copySteps,
  disconnect,
  inFlowOrder,
  moveSteps,
  outermost,
  type Position,
  pasteSteps,
  ROOT,
  removeNotes,
  removeSteps,
  type Step,
  setDisabled,
  stepById,
  stepsOf,
} from '../model/index.ts'
import { type ActivityType, outcomesOf } from '../palette/activity-types.ts'
import { rememberType } from '../palette/recent-types.ts'
import { type Adding, type Designer, placeOf, selectOnly } from './designer-state.ts'

export const NOTE = 'note:'

export function selectedSteps({ design, store }: Designer): readonly Step[] {
  return [...store.getState().selection].flatMap((key) => design.view.steps.get(key) ?? [])
}

/** The first way out that leads nowhere yet, or the first of all. */
export function freeOutcome({ design, types }: Designer, step: Step): string {
  const used = connectionsFrom(design.view, step).map(({ outcome }) => outcome)
  const all = outcomesOf(step, types.get(step.type))
  return all.find((outcome) => !used.includes(outcome)) ?? all[0] ?? 'done'
}

/** Puts a step of this type where it was asked for, and selects it. */
export function add(designer: Designer, type: ActivityType, where: Partial<Adding>): string {
  const { design } = designer
  const { after, into, body } = where
  let position = where.position
  if (position === undefined && after !== undefined)
    position = placeAfter(design.view, after.step, (key) => placeOf(designer, key))
  if (position === undefined && into !== undefined) position = between(designer, into)
  // Placed at once: what is placed later, when the layout has been reckoned, would move under the hands.
  position ??= placeBelow(design.view, body ?? ROOT, (each) => placeOf(designer, each))
  const key = addStep(design, {
    type: type.type,
    slots: (type.bodies ?? []).flatMap(({ name, required }) =>
      name === 'branches' ? [name, name] : required || name === 'body' || name === 'catch' ? [name] : [],
    ),
    ...(position === undefined ? {} : { position }),
    ...(body === undefined ? {} : { body }),
    ...(after === undefined ? {} : { after }),
    ...(into === undefined ? {} : { into, outcome: type.outcomes === 'any' ? 'done' : (type.outcomes[0] ?? 'done') }),
  })
  rememberType(type.type)
  selectOnly(designer, [key])
  say(designer, `${type.title} added.`)
  return key
}

function between(designer: Designer, line: string): Position | undefined {
  const { design } = designer
  const found = design.view.connections.get(line)
  const [from, to] = [found?.from, found?.to].map((id) => id && stepById(design.view, id))
  if (!from || !to) return undefined
  const [a, b] = [placeOf(designer, from.key), placeOf(designer, to.key)]
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}

/** A body of a container that holds nothing yet: what is added next is most likely meant for it. */
export const emptyBodyOf = ({ design: { view } }: Designer, key: string): string | undefined =>
  bodiesOf(view, key).find((body) => stepsOf(view, body.key).length === 0)?.key

/** The end of what a body holds. */
export function endOf(designer: Designer, body: string): Pick<Adding, 'body' | 'position' | 'after'> {
  const { view } = designer.design
  const last = inFlowOrder(view, stepsOf(view, body)).at(-1)
  if (last === undefined) return { body, position: { x: 0, y: 0 }, after: undefined }
  return { body, position: undefined, after: { step: last.key, outcome: freeOutcome(designer, last) } }
}

/** Opens the list of activities beside the selected step: what is chosen comes after it. */
export function startAdding(designer: Designer, at: Position): void {
  const [step] = selectedSteps(designer)
  const after = step && { step: step.key, outcome: freeOutcome(designer, step) }
  const jumps = step !== undefined && designer.types.get(step.type)?.jump !== undefined
  designer.store.setState({
    adding: { at, body: step?.body ?? ROOT, position: undefined, after: jumps ? undefined : after, into: undefined },
  })
}

export function removeSelected(designer: Designer): void {
  const { design, store } = designer
  const { selection } = store.getState()
  const steps = [...selection].filter((key) => design.view.steps.has(key))
  const lines = [...selection].filter((key) => design.view.connections.has(key))
  const notes = [...selection].flatMap((key) => (key.startsWith(NOTE) ? [key.slice(NOTE.length)] : []))
  const [first] = steps.flatMap((key) => connectionsTo(design.view, design.view.steps.get(key)!))
  const before = first && stepById(design.view, first.from)?.key
  if (lines.length > 0) disconnect(design, lines)
  if (notes.length > 0) removeNotes(design, notes)
  if (steps.length > 0) removeSteps(design, steps)
  selectOnly(designer, before !== undefined && design.view.steps.has(before) ? [before] : [])
  if (steps.length > 0) say(designer, steps.length === 1 ? 'Step removed.' : `${steps.length} steps removed.`)
}

export const copySelected = ({ design, store }: Designer): string | undefined =>
  copySteps(design, store.getState().selection)

export function paste(designer: Designer, text: string, body?: string): boolean {
  const [step] = selectedSteps(designer)
  const into = body ?? step?.body ?? ROOT
  const group = `paste ${designer.design.view.steps.size}`
  const result = pasteSteps(designer.design, text, { body: into, group })
  if (result.status === 'not-steps') return false
  const { view } = designer.design
  // Those without a place of their own get one where nothing else is.
  const placed = result.keys.filter((key) => view.steps.get(key)?.position !== undefined)
  const aside = besideOthers(view, into, new Set(placed), (key) => placeOf(designer, key))
  if (aside.size > 0) moveSteps(designer.design, aside, group)
  selectOnly(designer, result.keys)
  say(designer, result.keys.length === 1 ? 'Step pasted.' : `${result.keys.length} steps pasted.`)
  return true
}

export function duplicateSelected(designer: Designer): void {
  const text = copySelected(designer)
  if (text !== undefined) paste(designer, text)
}

export function toggleDisabled(designer: Designer): void {
  const steps = selectedSteps(designer)
  if (steps.length === 0) return
  const disabled = steps.some((step) => !step.disabled)
  setDisabled(
    designer.design,
    steps.map(({ key }) => key),
    disabled,
  )
  say(designer, disabled ? 'Disabled.' : 'Enabled.')
}

export const selectAll = (designer: Designer): void =>
  selectOnly(
    designer,
    stepsOf(designer.design.view, ROOT).map(({ key }) => key),
  )

/** Every step gets a tidy place: one step of undo. */
export async function arrangeAll(designer: Designer): Promise<void> {
  const places = await arrange(designer.design.view, designer.types)
  moveSteps(designer.design, places)
  say(designer, 'Laid out.')
}

/** Together with the places that were only seen so far: once one step is moved, the others stay where they are. */
export function moveTo(designer: Designer, places: ReadonlyMap<string, Position>, group?: string): void {
  const { design, store } = designer
  const { arranged } = store.getState()
  const bodies = new Set([...places.keys()].map((key) => design.view.steps.get(key)?.body))
  const seen = [...arranged].filter(([key]) => {
    const step = design.view.steps.get(key)
    return step !== undefined && step.position === undefined && bodies.has(step.body)
  })
  moveSteps(design, new Map([...seen, ...places]), group)
}

export function nudge(designer: Designer, by: Position): void {
  const keys = outermost(
    designer.design.view,
    selectedSteps(designer).map(({ key }) => key),
  )
  const places = new Map(
    keys.map((key) => {
      const { x, y } = placeOf(designer, key)
      return [key, { x: x + by.x, y: y + by.y }] as const
    }),
  )
  if (places.size > 0) moveTo(designer, places, `nudge ${keys.join()}`)
}

/** Brings the selected steps beside each other level with the outermost of them on that side. One step of undo. */
export function alignSelected(
  designer: Designer,
  side: Direction,
  sizeOf: (key: string) => { readonly width: number; readonly height: number },
): void {
  const [first, ...others] = selectedSteps(designer)
  const level = [first, ...others].flatMap((step) =>
    step !== undefined && step.body === first?.body ? [step.key] : [],
  )
  if (level.length < 2) return
  const axis = side === 'ArrowLeft' || side === 'ArrowRight' ? 'x' : 'y'
  const far = side === 'ArrowRight' || side === 'ArrowDown'
  const reach = (key: string): number => (far ? sizeOf(key)[axis === 'x' ? 'width' : 'height'] : 0)
  const edges = level.map((key) => placeOf(designer, key)[axis] + reach(key))
  const edge = far ? Math.max(...edges) : Math.min(...edges)
  moveTo(designer, new Map(level.map((key) => [key, { ...placeOf(designer, key), [axis]: edge - reach(key) }])))
  say(designer, `${level.length} steps aligned.`)
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

/** Down and up along the lines, left and right among those beside it; into a container and out of it where the lines end. */
export function walk(designer: Designer, direction: Direction): void {
  const { view } = designer.design
  const [step] = selectedSteps(designer)
  const next = step === undefined ? stepsOf(view, ROOT)[0] : neighbour(designer, step, direction)
  if (next === undefined) return
  selectOnly(designer, [next.key])
  say(designer, `${next.name}, ${next.type}`)
}

function neighbour(designer: Designer, step: Step, direction: Direction): Step | undefined {
  const { view } = designer.design
  const ids = (found: readonly (string | undefined)[]): Step | undefined =>
    found.flatMap((id) => (id === undefined ? [] : (stepById(view, id) ?? [])))[0]
  const holder = view.bodies.get(step.body)?.step
  const [inner] = bodiesOf(view, step.key).flatMap((body) => stepsOf(view, body.key))
  if (direction === 'ArrowDown') return ids(connectionsFrom(view, step).map(({ to }) => to)) ?? inner
  if (direction === 'ArrowUp')
    return ids(connectionsTo(view, step).map(({ from }) => from)) ?? (holder ? view.steps.get(holder) : undefined)
  const from = placeOf(designer, step.key)
  const sign = direction === 'ArrowRight' ? 1 : -1
  const others = stepsOf(view, step.body)
    .filter((each) => each.key !== step.key)
    .map((each) => ({ each, place: placeOf(designer, each.key) }))
    .filter(({ place }) => (place.x - from.x) * sign > 0)
    .sort((a, b) => distance(a.place, from) - distance(b.place, from))
  return others[0]?.each
}

const distance = (a: Position, b: Position): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y) * 2

export function note(designer: Designer, at: Position): void {
  const id = addNote(designer.design, { text: '', x: Math.round(at.x), y: Math.round(at.y), width: 220, height: 100 })
  selectOnly(designer, [NOTE + id])
}

export const say = ({ store }: Designer, said: string): void => store.setState({ said })
