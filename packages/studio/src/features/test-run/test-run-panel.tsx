import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { FlaskConical, Play, Square, StepForward } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { call } from '../../api/client.ts'
import type { GraphDocument, Instance } from '../../api/wire.ts'
import { activitiesById } from '../../canvas/canvas-model.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import { CodeEditor } from '../../editor/lazy-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { exampleOf } from '../instances/example-of.ts'
import { PinnedSteps } from './pinned-steps.tsx'
import { type Pins, pinsOf } from './pins.ts'
import { readJson, useStartTest } from './start-test.ts'
import { TestCases } from './test-cases.tsx'
import { TestResults } from './test-results.tsx'
import classes from './test-run.module.css'
import { type RanWith, setTestInput, setTestPins, useTestSession } from './test-session.ts'
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
  const { input: typed, pins, runId, ranWith } = useTestSession(definitionId)
  const input = useMemo(() => typed ?? JSON.stringify(exampleOf(document.input), undefined, 2), [typed, document.input])
  const { run, executions, states } = useTestRun(runId, document)
  const value = useMemo(() => readJson(input), [input])

  const show = useRef(showStates)
  show.current = showStates
  useEffect(() => {
    show.current(runId === undefined ? undefined : states)
  }, [runId, states])
  useEffect(() => () => show.current(undefined), [])

  const start = useStartTest(definitionId, props.save)
  const begin = (until?: string): void => start.mutate({ input: value.value, pins: pinsOf(pins, steps), until })
  const stop = useMutation({ mutationFn: () => call('POST', `/test-runs/${runId}/cancel`, { body: {} }) })
  const change = (next: Pins): void => setTestPins(definitionId, next)
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
            onClick={() => begin()}
          >
            Run all
          </MayButton>
          <MayButton
            permission="definitions:write"
            size="xs"
            variant="default"
            leftSection={<StepForward size={13} />}
            fault={fault ?? (here === undefined ? 'Select a step first.' : undefined)}
            onClick={() => begin(here?.id)}
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
          onChange={(next) => setTestInput(definitionId, next)}
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
        <TestCases
          key={definitionId}
          definitionId={definitionId}
          save={props.save}
          last={run === undefined || ranWith === undefined ? undefined : caseOf(run, ranWith)}
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

/** A run that has ended, or waits for something, as a case without a name yet. */
function caseOf(run: Instance, { pins, until }: RanWith) {
  const { input, status, output } = run
  if (!isOver(run) && status !== 'suspended') return undefined
  return { input, pins, ...(until === undefined ? {} : { until }), expected: { status, output } }
}
