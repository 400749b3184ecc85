import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { type Connection, connectionsFrom, disconnect, type Step, setOutcome, stepById } from '../model/index.ts'
import { choosesOutcome, outcomesOf } from '../palette/activity-types.ts'
import { selectOnly, useDesigner, useView } from '../state/designer-state.ts'
import classes from './inspector.module.css'

/** Ways out of a step, and where each leads. */
export function OutcomesTab({ step }: { readonly step: Step }) {
  const designer = useDesigner()
  const view = useView()
  const lines = connectionsFrom(view, step)
  const free = outcomesOf(step, designer.types.get(step.type)).filter(
    (outcome) => !lines.some((line) => line.outcome === outcome),
  )
  return (
    <div className={classes.fields}>
      {lines.map((line) => (
        <LineFields key={line.key} line={line} />
      ))}
      {free.length > 0 && (
        <p className="muted">
          Leads nowhere yet: {free.join(', ')}. Drag from the port of the step, or press <kbd>C</kbd>.
        </p>
      )}
      {lines.length === 0 && free.length === 0 && <p className="muted">Nothing comes after this step.</p>}
    </div>
  )
}

export function LineFields({ line }: { readonly line: Connection }) {
  const designer = useDesigner()
  const { design, types, readOnly } = designer
  const view = useView()
  const [from, to] = [stepById(view, line.from), stepById(view, line.to)]
  const type = from && types.get(from.type)
  const change = (outcome: string): void => {
    if (outcome === '') return
    setOutcome(design, line.key, outcome)
    const moved = [...design.view.connections.values()].find(
      (each) => each.from === line.from && each.to === line.to && each.outcome === outcome && each.body === line.body,
    )
    if (moved !== undefined && designer.store.getState().selection.has(line.key)) selectOnly(designer, [moved.key])
  }
  return (
    <div className={classes.line}>
      {from !== undefined && choosesOutcome(type) ? (
        <TextInput
          size="xs"
          label={`To ${to?.name ?? line.to}, through`}
          readOnly={readOnly !== undefined}
          defaultValue={line.outcome}
          key={line.outcome}
          onBlur={(event) => change(event.currentTarget.value.trim())}
        />
      ) : (
        <NativeSelect
          size="xs"
          label={`To ${to?.name ?? line.to}, through`}
          disabled={readOnly !== undefined}
          value={line.outcome}
          data={from === undefined ? [line.outcome] : [...outcomesOf(from, type, [line.outcome])]}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
      {readOnly === undefined && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<Trash2 size={12} />}
          onClick={() => disconnect(design, [line.key])}
        >
          Remove the line
        </Button>
      )}
    </div>
  )
}
