import { Button, Group } from '@mantine/core'
import { useMemo, useState } from 'react'
import { CodeEditor } from './code-editor.tsx'
import type { CodeMark } from './code-mark.ts'
import classes from './code-view.module.css'
import { placesIn } from './json-places.ts'

export interface CodeViewProps {
  readonly document: object
  readonly problems: readonly {
    readonly pointer: string
    readonly text: string
    readonly severity: 'error' | 'warning'
  }[]
  readonly readOnly: boolean
  readonly replace: (document: never) => void
}

/** The draft as its text. A change is taken over when it is asked for, as one step of undo. */
export function CodeView({ document, problems, readOnly, replace }: CodeViewProps) {
  const written = useMemo(() => JSON.stringify(document, undefined, 2), [document])
  const [changed, setChanged] = useState<string>()
  const text = changed ?? written
  const read = useMemo(() => readDocument(text), [text])
  const marks = useMemo((): readonly CodeMark[] => {
    if (changed !== undefined) return []
    const places = placesIn(
      text,
      problems.map(({ pointer }) => pointer),
    )
    return problems.map(({ text: said, severity }, index) => ({ ...places[index]!, text: said, severity }))
  }, [changed, problems, text])
  const dirty = changed !== undefined && changed !== written
  return (
    <div className={classes.view} data-testid="code-view">
      <div className={classes.text}>
        <CodeEditor
          label="Document as JSON"
          language="json"
          value={text}
          onChange={(next) => setChanged(next === written ? undefined : next)}
          readOnly={readOnly}
          marks={marks}
          numbers
        />
      </div>
      {dirty && (
        <Group gap={8}>
          <Button
            size="xs"
            disabled={read === undefined}
            onClick={() => {
              replace(read as never)
              setChanged(undefined)
            }}
          >
            Take it over
          </Button>
          <Button size="xs" variant="default" onClick={() => setChanged(undefined)}>
            Undo what I typed
          </Button>
          <span className="small muted">
            {read === undefined ? 'This is not a JSON object yet.' : 'The drawing shows it once it is taken over.'}
          </span>
        </Group>
      )}
    </div>
  )
}

function readDocument(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
