import { type Edge, MarkerType, type Node, type NodeHandle, Position as Side } from '@xyflow/react'
import type { StepState } from '../../canvas/graph-view.tsx'
import { partName } from '../../canvas/part-name.ts'
import {
  bodiesOf,
  connectionsFrom,
  type DesignView,
  type Note,
  type PlacedProblem,
  type Position,
  type Step,
  stepById,
  stepsOf,
  withInside,
} from '../model/index.ts'
import { type ActivityType, outcomesOf } from '../palette/activity-types.ts'
import { NOTE } from '../state/commands.ts'
import { draw, isFrame, type Placed } from './geometry.ts'
import { portX } from './port-place.ts'

export interface StepData extends Record<string, unknown> {
  readonly step: Step
  readonly title: string
  readonly outcomes: readonly string[]
  readonly problems: readonly PlacedProblem[]
  readonly state: StepState | undefined
  /** How many steps are inside, where they are not drawn. */
  readonly inside: number | undefined
  /** A container with one body that holds nothing yet. */
  readonly empty: boolean
  /** What is dragged would go into it. */
  readonly over: boolean
}
export type StepNode = Node<StepData, 'step' | 'container'>
export type PartNode = Node<{ readonly name: string; readonly empty: boolean; readonly over: boolean }, 'part'>
export type NoteNode = Node<{ readonly note: Note }, 'note'>
export type DesignNode = StepNode | PartNode | NoteNode
export type LineEdge = Edge<{ readonly outcome: string; readonly shown: boolean }, 'line'>

export interface Scene {
  readonly view: DesignView
  readonly types: ReadonlyMap<string, ActivityType>
  readonly selection: ReadonlySet<string>
  readonly problems: ReadonlyMap<string, readonly PlacedProblem[]>
  readonly states: ReadonlyMap<string, StepState> | undefined
  readonly where: (step: Step) => Position
  readonly folded: ReadonlySet<string>
  /** The body that would take what is dragged. */
  readonly over: string | undefined
  readonly readOnly: boolean
}

const none: readonly PlacedProblem[] = []

/** Nodes for the drawing. Those that are as they were are the same objects, so that only what changed is drawn again. */
export function drawNodes(scene: Scene, before: ReadonlyMap<string, DesignNode>): ReadonlyMap<string, DesignNode> {
  const { view, types } = scene
  const ways = (step: Step): readonly string[] =>
    outcomesOf(
      step,
      types.get(step.type),
      connectionsFrom(view, step).map(({ outcome }) => outcome),
    )
  const drawn = draw(view, scene.where, scene.folded)
  const nodes = new Map<string, DesignNode>()
  for (const note of view.notes.values()) keep(nodes, before, noteNode(note, scene))
  for (const [id, place] of drawn.nodes) {
    const step = view.steps.get(id)
    keep(nodes, before, step === undefined ? partNode(id, place, scene) : stepNode(step, place, ways(step), scene))
  }
  return nodes
}

function stepNode(step: Step, place: Placed, outcomes: readonly string[], scene: Scene): StepNode {
  const { view, selection, states, types } = scene
  const { x, y, width, height, parent } = place
  const bodies = bodiesOf(view, step.key)
  const container = bodies.length > 0
  const frame = isFrame(bodies) ? bodies[0]!.key : undefined
  const folded = container && scene.folded.has(step.key)
  return {
    id: step.key,
    type: container ? 'container' : 'step',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    handles: handlesOf(outcomes, width, height),
    ...(parent === undefined ? {} : { parentId: parent }),
    selected: selection.has(step.key),
    draggable: !scene.readOnly,
    ariaLabel: `${step.name}, ${step.type}`,
    data: {
      step,
      title: types.get(step.type)?.title ?? step.type,
      outcomes,
      problems: folded ? problemsInside(step, scene) : (scene.problems.get(step.key) ?? none),
      state: states?.get(step.id),
      inside: folded ? withInside(view, [step.key]).size - 1 : undefined,
      empty: frame !== undefined && stepsOf(view, frame).length === 0,
      over: frame !== undefined && scene.over === frame,
    },
  }
}

/** Of a folded container: its own, and those of all that it hides. */
function problemsInside({ key }: Step, { view, problems }: Scene): readonly PlacedProblem[] {
  const all = [...withInside(view, [key])].flatMap((each) => problems.get(each) ?? [])
  return all.length === 0 ? none : all
}

function partNode(id: string, { x, y, width, height, parent }: Placed, { view, over }: Scene): PartNode {
  const { slot, step } = view.bodies.get(id)!
  const branch = bodiesOf(view, step)
    .filter((body) => body.slot === 'branches')
    .findIndex((body) => body.key === id)
  return {
    id,
    type: 'part',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    parentId: parent!,
    draggable: false,
    selectable: false,
    data: {
      name: partName(view.steps.get(step)?.type ?? '', slot, branch),
      empty: stepsOf(view, id).length === 0,
      over: over === id,
    },
  }
}

const noteNode = (note: Note, { selection, readOnly }: Scene): NoteNode => ({
  id: NOTE + note.id,
  type: 'note',
  position: { x: note.x, y: note.y },
  width: note.width,
  height: note.height,
  measured: { width: note.width, height: note.height },
  selected: selection.has(NOTE + note.id),
  draggable: !readOnly,
  data: { note },
})

/** Measured here and not in the page: lines are right from the first moment. */
export function handlesOf(outcomes: readonly string[], width: number, height: number): NodeHandle[] {
  const way = (id: string | null, type: 'source' | 'target', side: Side, x: number, y: number): NodeHandle => ({
    id,
    type,
    position: side,
    x: x - 6,
    y: y - 6,
    width: 12,
    height: 12,
  })
  return [
    way(null, 'target', Side.Top, width / 2, 0),
    ...outcomes.map((outcome, index) =>
      way(outcome, 'source', Side.Bottom, portX(index, outcomes.length, width), height),
    ),
  ]
}

const ARROW = {
  type: MarkerType.ArrowClosed,
  width: 18,
  height: 18,
  markerUnits: 'userSpaceOnUse',
  color: 'var(--edge)',
} as const

/** Lines without an end are kept in the document and not drawn; neither are those inside a folded container. */
export function drawEdges(
  view: DesignView,
  selection: ReadonlySet<string>,
  nodes: ReadonlyMap<string, unknown>,
  before: ReadonlyMap<string, LineEdge>,
): ReadonlyMap<string, LineEdge> {
  const edges = new Map<string, LineEdge>()
  for (const line of view.connections.values()) {
    const [source, target] = [stepById(view, line.from), stepById(view, line.to)]
    if (source?.body !== line.body || target?.body !== line.body || !nodes.has(source.key)) continue
    const edge: LineEdge = {
      id: line.key,
      type: 'line',
      source: source.key,
      sourceHandle: line.outcome,
      target: target.key,
      selected: selection.has(line.key),
      data: { outcome: line.outcome, shown: line.outcome !== 'done' },
      markerEnd: ARROW,
    }
    const old = before.get(line.key)
    edges.set(line.key, old !== undefined && sameEdge(old, edge) ? old : edge)
  }
  return edges
}

const sameEdge = (a: LineEdge, b: LineEdge): boolean =>
  a.source === b.source && a.target === b.target && a.selected === b.selected && a.sourceHandle === b.sourceHandle

function keep(nodes: Map<string, DesignNode>, before: ReadonlyMap<string, DesignNode>, node: DesignNode): void {
  const old = before.get(node.id)
  nodes.set(node.id, old !== undefined && sameNode(old, node) ? old : node)
}

function sameNode(a: DesignNode, b: DesignNode): boolean {
  return (
    a.type === b.type &&
    a.selected === b.selected &&
    a.parentId === b.parentId &&
    a.position.x === b.position.x &&
    a.position.y === b.position.y &&
    a.width === b.width &&
    a.height === b.height &&
    a.draggable === b.draggable &&
    sameData(a.data, b.data)
  )
}

const sameData = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(b).every((name) =>
    name === 'outcomes' ? String(a[name]) === String(b[name]) : Object.is(a[name], b[name]),
  )
