import {
  BaseEdge,
  EdgeLabelRenderer,
  type EdgeProps,
  getSmoothStepPath,
  Handle,
  type NodeProps,
  Position as Side,
} from '@xyflow/react'
import { ChevronDown, ChevronRight, TriangleAlert } from 'lucide-react'
import { memo } from 'react'
import looks from '../../canvas/graph-view.module.css'
import { Badge } from '../../canvas/graph-view.tsx'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { NoteCard } from '../notes/note-card.tsx'
import { useDesigner } from '../state/designer-state.ts'
import { toggleFold } from '../state/folded.ts'
import classes from './canvas.module.css'
import type { LineEdge, PartNode, StepData, StepNode } from './canvas-nodes.ts'
import { portX } from './port-place.ts'

function Ports({ outcomes, selected }: { readonly outcomes: readonly string[]; readonly selected: boolean }) {
  const { readOnly } = useDesigner()
  const connectable = readOnly === undefined
  return (
    <>
      <Handle type="target" position={Side.Top} className={classes.port ?? ''} isConnectable={connectable} />
      {outcomes.map((outcome, index) => (
        <Handle
          key={outcome}
          id={outcome}
          type="source"
          position={Side.Bottom}
          className={classes.port ?? ''}
          // Of the room inside the border, as the port above: the line between them is straight.
          style={{ left: `${portX(index, outcomes.length, 100)}%` }}
          isConnectable={connectable}
          title={outcome}
          data-outcome={outcome}
        >
          {outcomes.length > 1 && selected && <span className={classes.portName}>{outcome}</span>}
        </Handle>
      ))}
    </>
  )
}

function Problems({ problems }: Pick<StepData, 'problems'>) {
  if (problems.length === 0) return null
  const error = problems.some(({ severity }) => severity === 'error')
  return (
    <span
      className={classes.problem}
      data-severity={error ? 'error' : 'warning'}
      data-testid="step-problem"
      title={problems.map(({ text }) => text).join('\n')}
    >
      <TriangleAlert size={12} aria-hidden />
      <span className="visually-hidden">{error ? 'Has errors' : 'Has warnings'}</span>
    </span>
  )
}

export const StepCard = memo(({ data, selected }: NodeProps<StepNode>) => {
  const { step, title, outcomes, problems, state } = data
  return (
    <div
      className={looks.step}
      data-selected={selected}
      data-status={state?.status ?? 'idle'}
      data-step={step.id}
      data-disabled={step.disabled}
      data-faulty={problems.some(({ severity }) => severity === 'error')}
    >
      <Ports outcomes={outcomes} selected={selected} />
      <span className={looks.icon}>
        <StepIcon type={step.type} size={16} />
      </span>
      <span className={looks.words}>
        <strong className="clip" title={step.name}>
          {step.name}
        </strong>
        <span className="clip small muted">{step.disabled ? `${title}, disabled` : title}</span>
      </span>
      <Problems problems={problems} />
      {state !== undefined && <Badge state={state} />}
    </div>
  )
})

/** Shows or hides what is inside a container. */
function Fold({ step, folded }: { readonly step: StepData['step']; readonly folded: boolean }) {
  const designer = useDesigner()
  const Chevron = folded ? ChevronRight : ChevronDown
  return (
    <button
      type="button"
      className={`nodrag ${classes.fold}`}
      aria-expanded={!folded}
      aria-label={`${folded ? 'Unfold' : 'Fold'} ${step.name}`}
      title={folded ? 'Unfold (F)' : 'Fold (F)'}
      onClick={() => toggleFold(designer, step.key)}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Chevron size={14} aria-hidden />
    </button>
  )
}

export const ContainerCard = memo(({ data, selected }: NodeProps<StepNode>) => {
  const { step, title, outcomes, problems, state, inside, empty, over } = data
  const kind = step.disabled ? `${title}, disabled` : title
  const folded = inside !== undefined
  return (
    <div
      className={folded ? `${looks.step} ${classes.folded}` : `${looks.container} ${classes.container}`}
      data-selected={selected}
      data-status={state?.status ?? 'idle'}
      data-step={step.id}
      data-disabled={step.disabled}
      data-folded={folded}
      data-over={over}
      data-faulty={folded && problems.some(({ severity }) => severity === 'error')}
    >
      <Ports outcomes={outcomes} selected={selected} />
      {folded ? (
        <>
          <span className={looks.icon}>
            <StepIcon type={step.type} size={16} />
          </span>
          <span className={looks.words}>
            <strong className="clip" title={step.name}>
              {step.name}
            </strong>
            <span className="clip small muted">
              {kind}, {inside === 1 ? '1 step' : `${inside} steps`}
            </span>
          </span>
          <Fold step={step} folded />
        </>
      ) : (
        <div className={looks.containerHead}>
          <StepIcon type={step.type} size={14} />
          <strong className="clip">{step.name}</strong>
          <span className="small muted clip">{kind}</span>
          <Fold step={step} folded={false} />
        </div>
      )}
      {empty && !folded && <span className={`${classes.dropHere} ${classes.inFrame}`}>Drop a step here</span>}
      <Problems problems={problems} />
      {state !== undefined && <Badge state={state} />}
    </div>
  )
})

export const PartCard = memo(({ id, data }: NodeProps<PartNode>) => (
  <div className={`${looks.part} ${classes.part}`} data-body={id} data-over={data.over}>
    <span className="small muted">{data.name}</span>
    {data.empty && <span className={classes.dropHere}>Drop a step here</span>}
  </div>
))

export const Line = memo((props: EdgeProps<LineEdge>) => {
  const { id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, markerEnd, selected, data } = props
  // Down beside what stands between, and across only where it arrives.
  const far = targetY - sourceY > 110
  const [path] = getSmoothStepPath({
    ...{ sourceX, sourceY, targetX, targetY: targetY - 2, sourcePosition, targetPosition },
    borderRadius: 8,
    // Two steps close to each other leave less room than twice the offset: the line would go back on itself.
    offset: targetY > sourceY ? Math.max(4, Math.min(22, (targetY - sourceY) / 2 - 2)) : 22,
    ...(far ? { centerY: targetY - 26 } : {}),
  })
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={22}
        className={classes.line ?? ''}
        data-selected={selected === true}
        {...(markerEnd === undefined ? {} : { markerEnd })}
      />
      {data?.shown === true && (
        <EdgeLabelRenderer>
          <span
            className={classes.outcome}
            data-selected={selected === true}
            style={{ transform: `translate(-50%, -50%) translate(${sourceX}px, ${sourceY + 19}px)` }}
          >
            {data.outcome}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  )
})

export const nodeTypes = { step: StepCard, container: ContainerCard, part: PartCard, note: NoteCard }
export const edgeTypes = { line: Line }
