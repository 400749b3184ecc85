import { ActionIcon, Modal, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Maximize2 } from 'lucide-react'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { GraphDocument } from '../api/wire.ts'
import { activitiesById } from '../canvas/canvas-model.ts'
import { CodeEditor } from './code-editor.tsx'
import type { CodeMark } from './code-mark.ts'
import { DataPane } from './data-pane.tsx'
import { expressionCompletion } from './expression-completion.ts'
import classes from './expression-field.module.css'
import { ExpressionPreview } from './expression-preview.tsx'
import { evaluatedQuery, usePickedRuns } from './past-runs.ts'
import { useScope } from './use-scope.ts'

export interface ExpressionFieldProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly readOnly: boolean
  readonly problem: string | undefined
  readonly definitionId: string
  readonly document: object
  readonly step: string
  readonly input: string
  readonly takesFocus?: (() => boolean) | undefined
}

/** One expression: with what it can name, what is wrong with it, and what it would have given in a past run. */
export function ExpressionField(props: ExpressionFieldProps) {
  const { value, definitionId, step, problem } = props
  const document = props.document as GraphDocument
  const { shape, runs, picked } = useScope(definitionId, document, step)
  const [large, setLarge] = useState(false)
  const known = useRef(shape)
  known.current = shape
  const scope = useCallback(() => known.current, [])
  const extension = useMemo(() => expressionCompletion(scope), [scope])

  const [settled] = useDebouncedValue(value, 250)
  const evaluated = useQuery({
    ...evaluatedQuery(picked ?? '', step, settled),
    enabled: picked !== undefined && settled.trim() !== '',
  })
  const marks = useMemo(
    () => marksOf(problem, settled === value ? evaluated.data : undefined),
    [problem, evaluated.data, settled, value],
  )
  const code = {
    label: props.label,
    language: 'javascript',
    value,
    onChange: props.onChange,
    readOnly: props.readOnly,
    marks,
    extension,
    placeholder: 'input.amount > 1000',
  } as const
  const preview = (
    <ExpressionPreview
      runs={runs}
      picked={picked}
      pick={(instanceId) => usePickedRuns.getState().pick(definitionId, instanceId)}
      evaluated={settled.trim() === '' ? undefined : evaluated.data}
      problem={problem}
      error={evaluated.error}
    />
  )
  const largeId = `${props.id}-large`
  return (
    <div className={classes.field} data-testid={`expression-${props.input}`}>
      <div className={classes.small}>
        <CodeEditor {...code} id={props.id} lines={{ least: 1, most: 10 }} takesFocus={props.takesFocus} />
        <Tooltip label="Write in a large editor, with the data beside it">
          <ActionIcon
            className={classes.enlarge ?? ''}
            size={22}
            variant="subtle"
            color="gray"
            aria-label={`${props.label}: large editor`}
            onClick={() => setLarge(true)}
          >
            <Maximize2 size={12} />
          </ActionIcon>
        </Tooltip>
      </div>
      {preview}
      <Modal
        opened={large}
        onClose={() => setLarge(false)}
        title={`${props.label} of ${nameOf(document, step)}`}
        size="min(1080px, 94vw)"
      >
        <div className={classes.large}>
          <div className={classes.field}>
            <CodeEditor {...code} id={largeId} lines={{ least: 14, most: 22 }} takesFocus={always} />
            {preview}
          </div>
          <div className={classes.beside}>
            <DataPane
              definitionId={definitionId}
              document={document}
              step={step}
              readOnly={props.readOnly}
              into={() => largeId}
              pick={() => {}}
            />
          </div>
        </div>
      </Modal>
    </div>
  )
}

const always = (): boolean => true

const nameOf = (document: GraphDocument, step: string): string => activitiesById(document).get(step)?.name ?? step

/** The server's own words, at the place it names. */
function marksOf(
  problem: string | undefined,
  evaluated:
    | { readonly status: string; readonly message: string | null; line: number | null; column: number | null }
    | undefined,
): readonly CodeMark[] {
  if (evaluated?.status === 'invalid' && evaluated.line !== null)
    return [{ line: evaluated.line, column: evaluated.column ?? 1, text: evaluated.message ?? '', severity: 'error' }]
  if (problem === undefined) return []
  const [, line = '1', column = '1'] = /line (\d+), column (\d+)/.exec(problem) ?? []
  return [{ line: Number(line), column: Number(column), text: problem, severity: 'error' }]
}
