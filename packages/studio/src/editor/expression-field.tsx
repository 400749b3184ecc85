import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { call } from '../api/client.ts'
import type { GraphDocument } from '../api/wire.ts'
import { CodeEditor } from './code-editor.tsx'
import type { CodeMark } from './code-mark.ts'
import { expressionCompletion } from './expression-completion.ts'
import classes from './expression-field.module.css'
import { ExpressionPreview } from './expression-preview.tsx'
import { scopeShape } from './expression-scope.ts'
import { evaluatedQuery, pastRunsQuery, pastScopeQuery, usePickedRuns } from './past-runs.ts'

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
  const runs = useQuery(pastRunsQuery(definitionId))
  const picked = usePickedRuns(({ byDefinition }) => byDefinition[definitionId]) ?? runs.data?.[0]?.id
  const past = useQuery({ ...pastScopeQuery(picked ?? '', step), enabled: picked !== undefined })
  const outputs = useQuery(outputSchemas)
  const shape = useMemo(
    () => scopeShape({ document, step, outputs: outputs.data, past: past.data?.scope }),
    [document, step, outputs.data, past.data],
  )
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
  return (
    <div className={classes.field} data-testid={`expression-${props.input}`}>
      <CodeEditor
        id={props.id}
        label={props.label}
        language="javascript"
        value={value}
        onChange={props.onChange}
        readOnly={props.readOnly}
        lines={{ least: 1, most: 10 }}
        marks={marks}
        extension={extension}
        placeholder="input.amount > 1000"
        takesFocus={props.takesFocus}
      />
      <ExpressionPreview
        runs={runs.data ?? []}
        picked={picked}
        pick={(instanceId) => usePickedRuns.getState().pick(definitionId, instanceId)}
        evaluated={settled.trim() === '' ? undefined : evaluated.data}
        problem={problem}
        error={evaluated.error}
      />
    </div>
  )
}

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

/** What activity types promise to answer. They change with the server, not while it runs. */
const outputSchemas = {
  queryKey: ['activity-outputs'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyMap<string, unknown>> => {
    const { items } = await call<{ items: readonly { type: string; output?: unknown }[] }>('GET', '/activity-types', {
      signal,
    })
    return new Map(items.flatMap(({ type, output }) => (output === undefined ? [] : [[type, output] as const])))
  },
  staleTime: 600_000,
}
