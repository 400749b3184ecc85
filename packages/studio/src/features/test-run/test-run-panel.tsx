import { Button, Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, Play, Square, StepForward } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import type { GraphDocument, Instance } from '../../api/wire.ts'
import { activitiesById } from '../../canvas/canvas-model.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import { CodeEditor } from '../../editor/lazy-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { exampleOf } from '../instances/example-of.ts'
import { PinnedSteps } from './pinned-steps.tsx'
import { type Pins, pinsOf, rememberedInput, rememberedPins, rememberInput, rememberPins } from './remembered.ts'
import { TestResults } from './test-results.tsx'
import classes from './test-run.module.css'
import { isOver, useTestRun } from './use-test-run.ts'

export interface TestRunProps {
  readonly definitionId: string
  readonly document: object
  readonly selected: string | undefined
  /** Whatever was not saved yet is; false: it could not be. */
  readonly save: () => Promise<boolean>
  /** Painted on the drawing; undefined: nothing is. */
  readonly showStates: (states: ReadonlyMap<string, StepState> | undefined) => void
}

/** Runs the draft as it stands on the screen. */
export function TestRunPanel(props: TestRunProps) {
  const { definitionId, selected, showStates } = props
  const document = props.document as GraphDocument
  const steps = useMemo(() => activitiesById(document), [document])
  const [input, setInput] = useState(
    () => rememberedInput(definitionId) ?? JSON.stringify(exampleOf(document.input), undefined, 2),
  )
  const [pins, setPins] = useState<Pins>(() => rememberedPins(definitionId))
  const [runId, setRunId] = useState<string>()
  const { run, executions, states } = useTestRun(runId, document)
  const value = useMemo(() => readJson(input), [input])

  const show = useRef(showStates)
  show.current = showStates
  useEffect(() => {
    show.current(runId === undefined ? undefined : states)
  }, [runId, states])
  useEffect(() => () => show.current(undefined), [])

  const client = useQueryClient()
  const start = useMutation({
    mutationFn: async (until: string | undefined) => {
      if (!(await props.save())) throw new Error('The draft could not be saved, so it was not run.')
      rememberInput(definitionId, input)
      return call<Instance>('POST', `/workflow-definitions/${encodeURIComponent(definitionId)}/test-runs`, {
        body: { input: value.value, pins: pinsOf(pins, steps), ...(until === undefined ? {} : { until }) },
      })
    },
    onSuccess: ({ id }) => {
      setRunId(id)
      void client.invalidateQueries({ queryKey: ['past-runs', definitionId] })
    },
  })
  const stop = useMutation({ mutationFn: () => call('POST', `/test-runs/${runId}/cancel`, { body: {} }) })
  const change = (next: Pins): void => {
    setPins(next)
    rememberPins(definitionId, next)
  }
  const fault = value.fault ? 'The input is not JSON.' : undefined
  const here = selected === undefined ? undefined : steps.get(selected)
  return (
    <div className={classes.panel} data-testid="test-run">
      <div className={classes.left}>
        <Group gap={8}>
          <MayButton
            permission="definitions:write"
            size="xs"
            leftSection={<Play size={13} />}
            loading={start.isPending}
            fault={fault}
            onClick={() => start.mutate(undefined)}
          >
            Run all
          </MayButton>
          <MayButton
            permission="definitions:write"
            size="xs"
            variant="default"
            leftSection={<StepForward size={13} />}
            fault={fault ?? (here === undefined ? 'Select a step first.' : undefined)}
            onClick={() => start.mutate(here?.id)}
          >
            Run to here
          </MayButton>
          {run !== undefined && !isOver(run) && (
            <Button
              size="xs"
              variant="default"
              leftSection={<Square size={12} />}
              loading={stop.isPending}
              onClick={() => stop.mutate()}
            >
              Stop
            </Button>
          )}
        </Group>
        <div className={classes.label}>
          <strong>Input</strong>
          {value.fault && <span className={classes.fault}>This is not JSON</span>}
        </div>
        <CodeEditor
          label="Input of the test run"
          language="json"
          value={input}
          onChange={setInput}
          lines={{ least: 4, most: 9 }}
        />
        <PinnedSteps
          key={selected ?? ''}
          steps={steps}
          pins={pins}
          selected={here}
          last={executions.findLast(({ activity, output }) => activity === here?.id && output !== undefined)?.output}
          change={change}
        />
      </div>
      <div className={classes.right}>
        {start.error !== null && <ProblemCard name="test-run" error={start.error} />}
        {run === undefined ? (
          start.error === null && (
            <p className={classes.hint}>
              <FlaskConical size={16} aria-hidden />
              <span>
                Runs the draft without publishing it. It stands in no list of instances, and no event from outside
                reaches it. What its steps do outside is real, unless you pin their output.
              </span>
            </p>
          )
        ) : (
          <TestResults
            run={run}
            executions={executions}
            steps={steps}
            pins={pins}
            pin={(id, output, outcome) =>
              change({ ...pins, [id]: { output, ...(outcome === undefined || outcome === 'done' ? {} : { outcome }) } })
            }
          />
        )}
      </div>
    </div>
  )
}

function readJson(text: string): { readonly value?: unknown; readonly fault: boolean } {
  try {
    return { value: text.trim() === '' ? null : JSON.parse(text), fault: false }
  } catch {
    return { fault: true }
  }
}
