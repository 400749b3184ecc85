import '@xyflow/react/dist/style.css'
import {
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  useViewport,
  ViewportPortal,
} from '@xyflow/react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { isTyping } from '../../app/keys.ts'
import { OverviewMap } from '../../canvas/overview-map.tsx'
import { looks } from '../../ui/status.tsx'
import {
  connect,
  connectionsFrom,
  connectionsTo,
  insertInto,
  moveIntoBody,
  type PlacedProblem,
  type Position,
  type Step,
  setNote,
} from '../model/index.ts'
import { add, freeOutcome, moveTo, NOTE } from '../state/commands.ts'
import { selectOnly, useDesigner, useDesignerState, useView } from '../state/designer-state.ts'
import { type Aligned, align } from './align.ts'
import { placesForUnplaced } from './arrange.ts'
import classes from './canvas.module.css'
import { type DesignNode, drawEdges, drawNodes, type LineEdge, type StepData } from './canvas-nodes.ts'
import { edgeTypes, nodeTypes } from './design-nodes.tsx'
import { TYPE_OF_DRAG } from './drag-type.ts'
import { EmptyCanvas } from './empty-canvas.tsx'
import { focusCanvas, focusInspector } from './focus.ts'
import { originOf } from './geometry.ts'
import { keepViewport, ZOOM } from './kept-viewport.ts'
import { bodyAt, lineAt } from './under-pointer.ts'
import { absoluteOf, showAgain, shownBox } from './viewport.ts'

/** The drawing, to be changed. The document is what is drawn; only a drag under way is known here alone. */
export function DesignCanvas() {
  const designer = useDesigner()
  const { definitionId, design, saver, store, types, readOnly } = designer
  const view = useView()
  const selection = useDesignerState((state) => state.selection)
  const problems = useDesignerState((state) => state.problems)
  const states = useDesignerState((state) => state.states)
  const arranged = useDesignerState((state) => state.arranged)
  const folded = useDesignerState((state) => state.folded)
  const [dragged, setDragged] = useState<Aligned>()
  const [dropping, setDropping] = useState(false)
  /** The body that would take what is dragged. */
  const [over, setOver] = useState<string>()
  const flow = useReactFlow()
  const { screenToFlowPosition } = flow

  const waiting = [...view.steps.values()].some((step) => step.position === undefined && !arranged.has(step.key))
  const [ready, setReady] = useState(!waiting)
  if (!ready && !waiting) setReady(true)
  useEffect(() => {
    if (!waiting) return
    let current = true
    placesForUnplaced(view, types).then(
      (places) => current && store.setState(({ arranged: before }) => ({ arranged: new Map([...places, ...before]) })),
      () => current && setReady(true),
    )
    return () => {
      current = false
    }
  }, [view, store, types, waiting])
  useEffect(() => {
    if (document.activeElement === document.body) focusCanvas()
  }, [])

  const problemsOf = useMemo(() => {
    const found = new Map<string, PlacedProblem[]>()
    for (const problem of problems)
      if (problem.step !== undefined) found.set(problem.step, [...(found.get(problem.step) ?? []), problem])
    return found
  }, [problems])
  const lastNodes = useRef<ReadonlyMap<string, DesignNode>>(new Map())
  const lastEdges = useRef<ReadonlyMap<string, LineEdge>>(new Map())
  const nodes = useMemo(() => {
    const where = (step: Step): Position => step.position ?? arranged.get(step.key) ?? { x: 0, y: 0 }
    const scene = { view, types, selection, states, where, folded, over }
    const more = { problems: problemsOf, readOnly: readOnly !== undefined }
    lastNodes.current = drawNodes({ ...scene, ...more }, lastNodes.current)
    return [...lastNodes.current.values()]
  }, [view, types, selection, problemsOf, states, arranged, folded, over, readOnly])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `nodes` were drawn into `lastNodes`
  const edges = useMemo(() => {
    lastEdges.current = drawEdges(view, selection, lastNodes.current, lastEdges.current)
    return [...lastEdges.current.values()]
  }, [view, selection, nodes])
  const shown = useMemo(
    () =>
      dragged === undefined
        ? nodes
        : nodes.map((node) => {
            const position = dragged.places.get(node.id)
            return position === undefined ? node : ({ ...node, position } as DesignNode)
          }),
    [nodes, dragged],
  )

  const select = useCallback(
    (changes: readonly (NodeChange<DesignNode> | EdgeChange<LineEdge>)[]) => {
      const next = new Set(store.getState().selection)
      let changed = false
      for (const change of changes) {
        if (change.type !== 'select' || next.has(change.id) === change.selected) continue
        changed = true
        if (change.selected) next.add(change.id)
        else next.delete(change.id)
      }
      if (changed) store.setState({ selection: next })
    },
    [store],
  )
  const onNodesChange = useCallback(
    (changes: NodeChange<DesignNode>[]) => {
      select(changes)
      const moved = changes.flatMap((change) =>
        change.type === 'position' && change.dragging === true && change.position !== undefined
          ? [[change.id, change.position] as const]
          : [],
      )
      if (moved.length > 0) setDragged(align(lastNodes.current, new Map(moved), shownBox(flow)))
    },
    [select, flow],
  )

  const onDragStop = (event: MouseEvent | TouchEvent): void => {
    const places = dragged?.places
    setDragged(undefined)
    setOver(undefined)
    if (places === undefined || places.size === 0) return
    const notes = [...places].filter(([id]) => id.startsWith(NOTE))
    for (const [id, { x, y }] of notes) setNote(design, id.slice(NOTE.length), { x: Math.round(x), y: Math.round(y) })
    const steps = new Map<string, Position>()
    for (const [id, { x, y }] of places) {
      const step = view.steps.get(id)
      if (step === undefined) continue
      const origin = originOf(view, step.body)
      const inside = step.body !== ''
      const [left, top] = [x - origin.x, y - origin.y]
      steps.set(id, inside ? { x: Math.max(0, left), y: Math.max(0, top) } : { x: left, y: top })
    }
    if (steps.size === 0) return
    const pointer = pointOf(event)
    const [first] = steps.keys()
    const from = view.steps.get(first!)!.body
    const into = bodyAt(screenToFlowPosition(pointer), lastNodes.current, view, new Set(steps.keys()))
    if (into === from) {
      moveTo(designer, steps)
      const line = steps.size === 1 ? lineAt(pointer) : undefined
      const step = view.steps.get(first!)!
      const alone = connectionsFrom(view, step).length + connectionsTo(view, step).length === 0
      if (line !== undefined && alone) insertInto(design, step.key, line, freeOutcome(designer, step))
      return
    }
    const origin = screenToFlowPosition(pointer)
    const base = absoluteOf(lastNodes.current, view, into)
    const corner = {
      x: Math.min(...[...steps.values()].map(({ x }) => x)),
      y: Math.min(...[...steps.values()].map(({ y }) => y)),
    }
    const next = new Map(
      [...steps].map(([key, { x, y }]) => [
        key,
        {
          x: Math.max(into === '' ? Number.NEGATIVE_INFINITY : 0, origin.x - base.x - 100 + (x - corner.x)),
          y: Math.max(into === '' ? Number.NEGATIVE_INFINITY : 0, origin.y - base.y - 29 + (y - corner.y)),
        },
      ]),
    )
    if (moveIntoBody(design, next, into) === 'not-possible') moveTo(designer, steps)
  }

  const onConnect = ({ source, sourceHandle, target }: Connection): void => {
    const result = connect(design, source, sourceHandle ?? 'done', target)
    if (result.status === 'connected') selectOnly(designer, [result.key])
  }
  const onConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState): void => {
    if (state.toNode !== null || state.fromNode === null || state.fromHandle?.type !== 'source') return
    const at = pointOf(event)
    const step = view.steps.get(state.fromNode.id)
    if (step === undefined) return
    const base = absoluteOf(lastNodes.current, view, step.body)
    const point = screenToFlowPosition(at)
    store.setState({
      adding: {
        at,
        body: step.body,
        position: { x: point.x - base.x - 100, y: point.y - base.y },
        after: { step: step.key, outcome: state.fromHandle.id ?? 'done' },
        into: undefined,
      },
    })
  }

  const onDrop = (event: React.DragEvent): void => {
    setDropping(false)
    setOver(undefined)
    const type = types.get(event.dataTransfer.getData(TYPE_OF_DRAG))
    if (type === undefined || readOnly !== undefined) return
    event.preventDefault()
    const pointer = { x: event.clientX, y: event.clientY }
    const point = screenToFlowPosition(pointer)
    const into = lineAt(pointer)
    const body =
      into === undefined ? bodyAt(point, lastNodes.current, view, NOTHING) : (view.connections.get(into)?.body ?? '')
    const base = absoluteOf(lastNodes.current, view, body)
    const least = body === '' ? Number.NEGATIVE_INFINITY : 0
    add(designer, type, {
      body,
      // Nothing lies outside of what holds it.
      position: { x: Math.max(least, point.x - base.x - 100), y: Math.max(least, point.y - base.y - 29) },
      ...(into === undefined ? {} : { into }),
    })
  }

  return (
    <section
      className={`${classes.canvas} ${dropping ? classes.dropping : ''}`}
      data-testid="design-canvas"
      data-designer-canvas
      aria-label="Drawing. The outline lists the same steps."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the drawing work here
      tabIndex={0}
      onPointerDownCapture={(event) => {
        if (!isTyping(event.target)) event.currentTarget.focus({ preventScroll: true })
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(TYPE_OF_DRAG)) return
        event.preventDefault()
        setDropping(true)
        setOver(bodyAt(screenToFlowPosition({ x: event.clientX, y: event.clientY }), lastNodes.current, view, NOTHING))
      }}
      onDragLeave={() => {
        setDropping(false)
        setOver(undefined)
      }}
      onDrop={onDrop}
    >
      {ready ? (
        <ReactFlow<DesignNode, LineEdge>
          nodes={shown}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onEdgesChange={select}
          onNodeDrag={(event, node, moved) => {
            const step = view.steps.get(node.id)
            if (step === undefined) return
            const point = screenToFlowPosition(pointOf(event as unknown as MouseEvent))
            const into = bodyAt(point, lastNodes.current, view, new Set(moved.map(({ id }) => id)))
            setOver(into === step.body ? undefined : into)
          }}
          onNodeDragStop={(event) => onDragStop(event as unknown as MouseEvent)}
          onSelectionDragStop={(event) => onDragStop(event as unknown as MouseEvent)}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          isValidConnection={({ source, target }) => view.steps.get(source)?.body === view.steps.get(target)?.body}
          onNodeDoubleClick={(_, node) => node.type !== 'note' && focusInspector(designer)}
          onInit={(flow) => void showAgain(flow, nodes, saver === undefined ? undefined : definitionId)}
          onMoveEnd={(_, viewport) => saver !== undefined && keepViewport(definitionId, viewport)}
          minZoom={ZOOM.least}
          maxZoom={ZOOM.most}
          snapToGrid
          snapGrid={[10, 10]}
          selectionOnDrag
          selectionMode={SelectionMode.Partial}
          panOnDrag={[1, 2]}
          panOnScroll
          panActivationKeyCode="Space"
          multiSelectionKeyCode={['Shift', 'Control', 'Meta']}
          zoomOnDoubleClick={false}
          deleteKeyCode={null}
          disableKeyboardA11y
          nodesFocusable={false}
          edgesFocusable={false}
          connectionRadius={28}
          onlyRenderVisibleElements={nodes.length > 150}
        >
          <Background gap={20} size={1} color="var(--border-strong)" />
          <Controls showInteractive={false} />
          {dragged !== undefined && dragged.lines.length > 0 && <SnapLines lines={dragged.lines} />}
          {nodes.length > 6 && (
            <OverviewMap<DesignNode>
              style={MAP}
              className={classes.map ?? ''}
              nodeColor={miniColor}
              maskColor="color-mix(in srgb, var(--canvas) 70%, transparent)"
            />
          )}
        </ReactFlow>
      ) : (
        <div className="visually-hidden" data-testid="arranging">
          Laying out
        </div>
      )}
      {view.steps.size === 0 && readOnly === undefined && <EmptyCanvas />}
    </section>
  )
}

/** As thin as a hair, however near one looks. */
function SnapLines({ lines }: { readonly lines: Aligned['lines'] }) {
  const { zoom } = useViewport()
  const thin = 1 / zoom
  return (
    <ViewportPortal>
      {lines.map(({ axis, at, from, to }) => (
        <div
          key={`${axis} ${at}`}
          className={classes.snap}
          data-snap={axis}
          style={
            axis === 'x'
              ? { left: at - thin / 2, top: from, width: thin, height: to - from }
              : { left: from, top: at - thin / 2, width: to - from, height: thin }
          }
        />
      ))}
    </ViewportPortal>
  )
}

const MAP = { width: 140, height: 100 }
const NOTHING: ReadonlySet<string> = new Set()

const miniColor = (node: DesignNode): string => {
  if (node.type === 'note') return 'var(--retrying-tint)'
  if (node.type === 'part') return 'transparent'
  const { problems, state } = node.data as Partial<StepData>
  const faulty = problems?.some((each) => each.severity === 'error')
  // While a run is painted on the drawing, it is painted on the map too.
  if (state !== undefined && looks[state.status].tone !== 'queued')
    // What holds others lies under them.
    return `var(--${looks[state.status].tone}${node.type === 'container' ? '-tint' : ''})`
  return faulty ? 'var(--faulted)' : node.type === 'container' ? 'var(--surface-2)' : 'var(--border-strong)'
}

function pointOf(event: MouseEvent | TouchEvent): Position {
  const { clientX, clientY } = 'changedTouches' in event ? event.changedTouches[0]! : event
  return { x: clientX, y: clientY }
}
