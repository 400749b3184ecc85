import { TextInput } from '@mantine/core'
import { useReactFlow } from '@xyflow/react'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { StepIcon } from '../../canvas/step-icon.tsx'
import { TYPE_OF_DRAG } from '../canvas/drag-type.ts'
import { add, emptyBodyOf, endOf, freeOutcome, selectedSteps } from '../state/commands.ts'
import { type Designer, useDesigner } from '../state/designer-state.ts'
import { bringIntoView } from '../state/use-keys.ts'
import { type ActivityType, shelvesOf } from './activity-types.ts'
import classes from './palette.module.css'

/** Everything that can be put on the canvas: dragged there, or clicked to come after what is selected. */
export function StepPalette() {
  const designer = useDesigner()
  const [text, setText] = useState('')
  const shelves = shelvesOf(designer.types.values(), text)
  return (
    <div className={classes.palette}>
      <TextInput
        data-search-field
        size="xs"
        aria-label="Search steps"
        placeholder="Search steps"
        leftSection={<Search size={14} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className={classes.shelves}>
        {shelves.map(({ name, types }) => (
          <section key={name} aria-label={name}>
            <h3>{name}</h3>
            {types.map((type) => (
              <Item key={type.type} type={type} designer={designer} />
            ))}
          </section>
        ))}
        {shelves.length === 0 && <p className="muted small">No step is called that.</p>}
      </div>
    </div>
  )
}

function Item({ type, designer }: { readonly type: ActivityType; readonly designer: Designer }) {
  const flow = useReactFlow()
  return (
    <button
      type="button"
      className={classes.item}
      draggable={designer.readOnly === undefined}
      disabled={designer.readOnly !== undefined}
      title={type.description}
      data-type={type.type}
      onDragStart={(event) => {
        event.dataTransfer.setData(TYPE_OF_DRAG, type.type)
        event.dataTransfer.effectAllowed = 'copy'
      }}
      onClick={() => {
        addAfterSelected(designer, type)
        requestAnimationFrame(() => bringIntoView(designer, flow))
      }}
    >
      <span className={classes.itemIcon}>
        <StepIcon type={type.type} size={15} />
      </span>
      <span className="clip">{type.title}</span>
    </button>
  )
}

function addAfterSelected(designer: Designer, type: ActivityType): void {
  const [step] = selectedSteps(designer)
  if (step === undefined || type.kind === 'trigger') {
    const lowest = Math.max(-100, ...[...designer.design.view.steps.values()].map(({ position }) => position?.y ?? 0))
    add(designer, type, { body: '', position: { x: 0, y: lowest + 100 } })
  } else {
    const body = emptyBodyOf(designer, step.key)
    const after = { step: step.key, outcome: freeOutcome(designer, step) }
    add(designer, type, body === undefined ? { after } : endOf(designer, body))
  }
}
