import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { Pin as PinIcon, X } from 'lucide-react'
import { useState } from 'react'
import type { Activity } from '../../api/wire.ts'
import { CodeEditor } from '../../editor/lazy-editor.tsx'
import type { Pins } from './pins.ts'
import classes from './test-run.module.css'

interface PinnedProps {
  readonly steps: ReadonlyMap<string, Activity>
  readonly pins: Pins
  readonly selected: Activity | undefined
  /** What the selected step answered in the last run. */
  readonly last: unknown
  readonly change: (pins: Pins) => void
}

/** Steps that are not executed in tests, and what they answer instead. */
export function PinnedSteps({ steps, pins, selected, last, change }: PinnedProps) {
  const [text, setText] = useState<string>()
  const pinned = Object.keys(pins).filter((id) => steps.has(id))
  const without = (id: string): Pins => Object.fromEntries(Object.entries(pins).filter(([each]) => each !== id))
  const fault = text !== undefined && !isJson(text)
  return (
    <section className={classes.pins} aria-label="Pinned outputs">
      <div className={classes.label}>
        <strong>Pins</strong>
        {selected !== undefined && text === undefined && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<PinIcon size={12} />}
            onClick={() => setText(JSON.stringify(pins[selected.id]?.output ?? last ?? null, undefined, 2))}
          >
            {pins[selected.id] === undefined ? 'Pin' : 'Change'} {selected.name ?? selected.id}
          </Button>
        )}
      </div>
      {selected !== undefined && text !== undefined && (
        <div className={classes.pin}>
          <CodeEditor
            label={`Output of ${selected.name ?? selected.id}`}
            language="json"
            value={text}
            onChange={setText}
            lines={{ least: 2, most: 8 }}
          />
          <div className={classes.label}>
            <Button
              size="compact-xs"
              disabled={fault}
              onClick={() => {
                change({ ...pins, [selected.id]: { ...pins[selected.id], output: JSON.parse(text) } })
                setText(undefined)
              }}
            >
              Pin this output
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setText(undefined)}>
              Leave it
            </Button>
            {fault && <span className={classes.fault}>This is not JSON</span>}
          </div>
        </div>
      )}
      {pinned.length === 0 && text === undefined && (
        <p className="small muted">None. Select a step, or pin what one answered in a run.</p>
      )}
      <ul>
        {pinned.map((id) => (
          <li key={id} data-pin={id}>
            <PinIcon size={12} aria-hidden />
            <span className="clip">{steps.get(id)?.name ?? id}</span>
            <span className="mono small muted clip">{JSON.stringify(pins[id]?.output)}</span>
            <Tooltip label="Unpin: execute it again">
              <ActionIcon
                size={20}
                variant="subtle"
                color="gray"
                aria-label={`Unpin ${steps.get(id)?.name ?? id}`}
                onClick={() => change(without(id))}
              >
                <X size={12} />
              </ActionIcon>
            </Tooltip>
          </li>
        ))}
      </ul>
    </section>
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
