import { Button } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { partName } from '../../canvas/part-name.ts'
import { addBody, bodiesOf, type PlacedProblem, removeBody, type Step } from '../model/index.ts'
import { useDesigner, useView } from '../state/designer-state.ts'
import { fieldsOf } from './field-kind.ts'
import classes from './inspector.module.css'
import { ValueField } from './value-field.tsx'

export function InputsTab({ step, problems }: { readonly step: Step; readonly problems: readonly PlacedProblem[] }) {
  const { types } = useDesigner()
  const type = types.get(step.type)
  const fields = fieldsOf(type?.inputs, Object.keys(step.inputs), type?.literalInputs, type?.script)
  return (
    <div className={classes.fields}>
      {fields.map((field, index) => (
        <ValueField
          key={`${step.key} ${field.name}`}
          step={step}
          field={field}
          first={index === 0}
          problems={problems.filter(({ input }) => input === field.name)}
        />
      ))}
      {fields.length === 0 && <p className="muted">This step needs no input.</p>}
      <Bodies step={step} />
    </div>
  )
}

/** What is inside a container, and what could be. */
function Bodies({ step }: { readonly step: Step }) {
  const { design, types, readOnly } = useDesigner()
  const view = useView()
  const bodies = bodiesOf(view, step.key)
  const allowed = types.get(step.type)?.bodies?.map(({ name }) => name) ?? []
  const missing = allowed.filter((slot) => slot === 'branches' || !bodies.some((body) => body.slot === slot))
  if (bodies.length === 0 && missing.length === 0) return null
  return (
    <section className={classes.bodies} aria-label="Inside">
      <h3>Inside</h3>
      {bodies.map(({ key, slot, at }) => (
        <div key={key} className={classes.bodyRow}>
          <span>{partName(step.type, slot, at)}</span>
          <span className="small muted">
            {countOf([...view.steps.values()].filter((each) => each.body === key).length)}
          </span>
          {readOnly === undefined && slot !== 'body' && (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              leftSection={<X size={12} />}
              onClick={() => removeBody(design, key)}
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      {readOnly === undefined && (
        <div className={classes.adds}>
          {missing.map((slot) => (
            <Button
              key={slot}
              size="compact-xs"
              variant="default"
              leftSection={<Plus size={12} />}
              onClick={() => addBody(design, step.key, slot)}
            >
              {slot === 'branches' ? 'Branch' : partName(step.type, slot)}
            </Button>
          ))}
        </div>
      )}
    </section>
  )
}

const countOf = (steps: number): string => (steps === 1 ? '1 step' : `${steps} steps`)
