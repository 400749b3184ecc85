import '@xyflow/react/dist/style.css'
import {
  Background,
  Controls,
  type Edge,
  type EdgeProps,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
} from '@xyflow/react'
import { createContext, memo, useContext, useEffect, useMemo, useState } from 'react'
import type { GraphBody } from '../api/wire.ts'
import { type Look, looks, toneStyle } from '../ui/status.tsx'
import { type CanvasModel, type CanvasNode, canvasModel } from './canvas-model.ts'
import classes from './graph-view.module.css'
import { type Direction, type EdgePath, type Layout, layOut, type Point } from './layout.ts'
import { OverviewMap } from './overview-map.tsx'
import { StepIcon } from './step-icon.tsx'

export interface StepState {
  readonly status: Look
  /** How often it ran. */
  readonly runs: number
  /** What it waits for, or what went wrong. */
  readonly note?: string | undefined
  /** Said of its status in the place of the usual word. */
  readonly label?: string | undefined
}

interface GraphProps {
  readonly document: GraphBody
  /** Where the flow leads. @default 'RIGHT' */
  readonly direction?: Direction
  readonly states?: ReadonlyMap<string, StepState>
  /** Ids of edges that were taken. */
  readonly taken?: ReadonlySet<string>
  readonly selected?: string | undefined
  readonly onSelect?: (activityId: string | undefined) => void
}

interface Shown {
  readonly states: ReadonlyMap<string, StepState>
  readonly taken: ReadonlySet<string>
  readonly selected: string | undefined
}

const none: Shown = { states: new Map(), taken: new Set(), selected: undefined }
const ShownContext = createContext<Shown>(none)

/** A workflow as a drawing that cannot be changed. It is laid out once; its state moves over it. */
export function GraphView({ document, direction = 'RIGHT', states, taken, selected, onSelect }: GraphProps) {
  const model = useMemo(() => canvasModel(document), [document])
  const [layout, setLayout] = useState<Layout>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    let current = true
    layOut(model, direction).then(
      (found) => current && setLayout(found),
      (error: unknown) => current && setFault(String(error)),
    )
    return () => {
      current = false
    }
  }, [model, direction])
  const shown = useMemo(
    () => ({ states: states ?? none.states, taken: taken ?? none.taken, selected }),
    [states, taken, selected],
  )
  const drawing = useMemo(() => (layout === undefined ? undefined : draw(model, layout)), [model, layout])
  if (fault !== undefined) return <p role="alert">The drawing could not be made: {fault}</p>
  if (drawing === undefined) return <div className={classes.blank} data-testid="graph-loading" aria-busy="true" />
  return (
    <ShownContext value={shown}>
      <ReactFlowProvider>
        <div className={classes.graph} data-testid="graph">
          <ReactFlow
            nodes={drawing.nodes}
            edges={drawing.edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            fitView
            fitViewOptions={{ padding: 0.07, maxZoom: 1, minZoom: 0.3 }}
            minZoom={0.1}
            maxZoom={2}
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            elementsSelectable
            panOnScroll
            zoomOnDoubleClick={false}
            onlyRenderVisibleElements={model.nodes.length > 150}
            onNodeClick={(_event, node) => node.type !== 'part' && onSelect?.(node.id)}
            onPaneClick={() => onSelect?.(undefined)}
            deleteKeyCode={null}
            ariaLabelConfig={{ 'node.a11yDescription.default': 'Press Enter to see the step.' }}
          >
            <Background gap={20} size={1} color="var(--border)" />
            <Controls showInteractive={false} />
            {model.nodes.length > 24 && <OverviewMap className={classes.map ?? ''} />}
          </ReactFlow>
        </div>
      </ReactFlowProvider>
    </ShownContext>
  )
}

const ARROW = {
  type: MarkerType.ArrowClosed,
  width: 18,
  height: 18,
  markerUnits: 'userSpaceOnUse',
  color: 'var(--edge)',
} as const

type StepNode = Node<{ readonly step: CanvasNode }>
type PathEdge = Edge<{ readonly path: EdgePath; readonly outcome: string }>

function draw({ nodes, edges }: CanvasModel, { boxes, paths }: Layout): { nodes: StepNode[]; edges: PathEdge[] } {
  return {
    nodes: nodes.map((step) => {
      const { x, y, width, height } = boxes.get(step.id)!
      return {
        id: step.id,
        type: step.kind,
        position: { x, y },
        width,
        height,
        data: { step },
        zIndex: step.kind === 'step' ? 2 : 0,
        focusable: step.kind !== 'part',
        ariaLabel: `${step.name}, ${step.type}`,
      }
    }),
    edges: edges.map((edge) => ({
      id: edge.id,
      type: 'path',
      source: edge.from,
      target: edge.to,
      zIndex: 1,
      data: { path: paths.get(edge.id) ?? { points: [], label: undefined }, outcome: edge.outcome },
      markerEnd: ARROW,
    })),
  }
}

function useStep(id: string) {
  const { states, selected } = useContext(ShownContext)
  return { state: states.get(id), selected: selected === id }
}

const Ends = () => (
  <>
    <Handle type="target" position={Position.Left} className={classes.end} isConnectable={false} />
    <Handle type="source" position={Position.Right} className={classes.end} isConnectable={false} />
  </>
)

const Step = memo(({ data: { step } }: NodeProps<StepNode>) => {
  const { state, selected } = useStep(step.id)
  return (
    <div className={classes.step} data-status={state?.status ?? 'idle'} data-selected={selected} data-step={step.id}>
      <Ends />
      <span className={classes.icon} style={state === undefined ? undefined : toneStyle(looks[state.status].tone)}>
        <StepIcon type={step.type} size={16} />
      </span>
      <span className={classes.words}>
        <strong className="clip" title={step.name}>
          {step.name}
        </strong>
        <span className="clip small muted" title={state?.note ?? step.type}>
          {state?.note ?? step.type}
        </span>
      </span>
      {state !== undefined && <Badge state={state} />}
    </div>
  )
})

export function Badge({ state }: { readonly state: StepState }) {
  const look = looks[state.status]
  const Icon = look.icon
  return (
    <span className={classes.badge} style={toneStyle(look.tone)} title={state.label ?? look.label}>
      <Icon size={11} aria-hidden />
      <span className="visually-hidden">{state.label ?? look.label}</span>
      {state.runs > 1 && <span className="num">×{state.runs}</span>}
    </span>
  )
}

const Container = memo(({ data: { step } }: NodeProps<StepNode>) => {
  const { state, selected } = useStep(step.id)
  return (
    <div
      className={classes.container}
      data-status={state?.status ?? 'idle'}
      data-selected={selected}
      data-step={step.id}
    >
      <Ends />
      <div className={classes.containerHead}>
        <StepIcon type={step.type} size={14} />
        <strong className="clip">{step.name}</strong>
        <span className="clip small muted" title={state?.note ?? step.type}>
          {state?.note ?? step.type}
        </span>
      </div>
      {state !== undefined && <Badge state={state} />}
    </div>
  )
})

const Part = memo(({ data: { step } }: NodeProps<StepNode>) => (
  <div className={classes.part}>
    <span className="small muted">{step.name}</span>
  </div>
))

const CORNER = 8

/** Straight lines with rounded corners. */
function pathText(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  let text = `M ${first.x} ${first.y}`
  rest.forEach((point, index) => {
    const next = rest[index + 1]
    const before = index === 0 ? first : rest[index - 1]!
    if (next === undefined) {
      text += ` L ${point.x} ${point.y}`
      return
    }
    const from = toward(point, before)
    const to = toward(point, next)
    text += ` L ${from.x} ${from.y} Q ${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return text
}

function toward(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1
  const by = Math.min(CORNER, length / 2) / length
  return { x: from.x + (to.x - from.x) * by, y: from.y + (to.y - from.y) * by }
}

const PathLine = memo(({ id, data, markerEnd }: EdgeProps<PathEdge>) => {
  const { taken } = useContext(ShownContext)
  const { path, outcome } = data!
  const { points, label } = path
  return (
    <g data-taken={taken.has(id)} className={classes.edge} data-edge={id}>
      <path d={pathText(points)} markerEnd={markerEnd} />
      {label !== undefined && (
        <text x={label.x + label.width / 2} y={label.y + 11} textAnchor="middle">
          {outcome}
        </text>
      )}
    </g>
  )
})

const nodeTypes = { step: Step, container: Container, part: Part }
const edgeTypes = { path: PathLine }
