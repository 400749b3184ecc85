import { Button } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Plus, X } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { partName } from '../../canvas/part-name.ts'
import { withReference } from '../../editor/with-reference.ts'
import { addBody, bodiesOf, type PlacedProblem, removeBody, type Step, setInput } from '../model/index.ts'
import { takesSecrets } from '../palette/activity-types.ts'
import { slots } from '../slots.ts'
import { say } from '../state/commands.ts'
import { useDesigner, useView } from '../state/designer-state.ts'
import { fieldsOf } from './field-kind.ts'
import classes from './inspector.module.css'
import { ValueField } from './value-field.tsx'

export function InputsTab({ step, problems }: { readonly step: Step; readonly problems: readonly PlacedProblem[] }) {
  const designer = useDesigner()
  const { design, types, readOnly } = designer
  const view = useView()
  const [isDataOpen, setDataOpen] = useLocalStorage({ key: 'lockstep-designer-data', defaultValue: true })
  const type = types.get(step.type)
  const fields = fieldsOf(type?.inputs, Object.keys(step.inputs), type?.literalInputs, type?.script, takesSecrets(type))
  // The field somebody wrote in last: what is picked from the data goes there.
  const last = useRef<{ readonly step: string; readonly name: string }>(undefined)
  const written = (): string | undefined => (last.current?.step === step.key ? last.current.name : undefined)
  const pick = (path: string): void => {
    const field = fields.find(({ name }) => name === written()) ?? fields.find(({ literal }) => !literal)
    if (field === undefined || field.literal) return say(designer, 'No field here takes an expression.')
    setInput(design, step.key, field.name, withReference(step.inputs[field.name], path))
    requestAnimationFrame(() => document.getElementById(`input-${step.key}-${field.name}`)?.focus())
  }
  const DataPane = slots.DataPane
  return (
    <div
      className={classes.fields}
      onFocusCapture={({ target }) => {
        const name = target.closest('[data-input]')?.getAttribute('data-input')
        if (name) last.current = { step: step.key, name }
      }}
    >
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
      {DataPane !== undefined && fields.length > 0 && (
        <details className={classes.data} open={isDataOpen} onToggle={(event) => setDataOpen(event.currentTarget.open)}>
          <summary>Data</summary>
          {isDataOpen && (
            <Suspense>
              <DataPane
                definitionId={designer.definitionId}
                document={view && design.toGraph()}
                step={step.id}
                readOnly={readOnly !== undefined}
                into={() => (written() === undefined ? undefined : `input-${step.key}-${written()}`)}
                pick={pick}
              />
            </Suspense>
          )}
        </details>
      )}
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
