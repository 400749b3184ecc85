import { Button } from '@mantine/core'
import { useReactFlow } from '@xyflow/react'
import { CalendarClock, Play, Webhook } from 'lucide-react'
import { add, startAdding } from '../state/commands.ts'
import { useDesigner } from '../state/designer-state.ts'
import { bringIntoView } from '../state/use-keys.ts'
import classes from './canvas.module.css'

/** A workflow that has no step yet. */
export function EmptyCanvas() {
  const designer = useDesigner()
  const flow = useReactFlow()
  const start = (type: string): void => {
    const found = designer.types.get(type)
    if (found === undefined) return
    add(designer, found, { body: '', position: { x: 0, y: 0 } })
    requestAnimationFrame(() => bringIntoView(designer, flow))
  }
  return (
    <div className={classes.empty} data-testid="designer-empty">
      <div className={classes.ghost}>
        <strong>What starts this?</strong>
        <span className="muted">Choose one, drag a step here, or press Tab.</span>
      </div>
      <div className={classes.starts}>
        <Button
          variant="default"
          leftSection={<Play size={14} />}
          onClick={(event) => {
            const { left, bottom } = event.currentTarget.getBoundingClientRect()
            startAdding(designer, { x: left, y: bottom + 8 })
          }}
        >
          Somebody starts it
        </Button>
        <Button variant="default" leftSection={<CalendarClock size={14} />} onClick={() => start('cron')}>
          A schedule
        </Button>
        <Button variant="default" leftSection={<Webhook size={14} />} onClick={() => start('http-endpoint')}>
          A request
        </Button>
      </div>
    </div>
  )
}
