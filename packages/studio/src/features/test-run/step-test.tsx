import { Button, Group } from '@mantine/core'
import { Crosshair, Pin as PinIcon, StepForward, X } from 'lucide-react'
import { useMemo } from 'react'
import type { GraphDocument } from '../../api/wire.ts'
import { activitiesById } from '../../canvas/canvas-model.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { looks, ToneChip } from '../../ui/status.tsx'
import { exampleOf } from '../instances/example-of.ts'
import { type Mocked, onlyThis } from './only-this.ts'
import { pinsOf } from './pins.ts'
import { readJson, useStartTest } from './start-test.ts'
import classes from './test-run.module.css'
import { setTestPins, useTestSession } from './test-session.ts'
import { useTestRun } from './use-test-run.ts'

export interface StepTestProps {
  readonly definitionId: string
  readonly document: object
  /** Its id. */
  readonly step: string
  readonly reachesOut: (type: string) => boolean
  readonly save: () => Promise<boolean>
  /** A run has begun: its results are shown elsewhere too. */
  readonly started: () => void
}

/** Tries one step out: on the way that leads to it, or alone. */
export function StepTest({ definitionId, step, reachesOut, save, started, ...props }: StepTestProps) {
  const document = props.document as GraphDocument
  const steps = useMemo(() => activitiesById(document), [document])
  const { input, pins, runId } = useTestSession(definitionId)
  const { executions } = useTestRun(runId, document)
  const start = useStartTest(definitionId, save)
  const read = readJson(input ?? JSON.stringify(exampleOf(document.input)))
  const fault = read.fault ? 'The input of the test run is not JSON.' : undefined
  const kept = useMemo(() => pinsOf(pins, steps), [pins, steps])
  const alone = useMemo(() => {
    const ended = executions.filter(({ status, output }) => status === 'completed' && output !== undefined)
    const answered = new Map(
      ended.map(({ activity, output, outcome }) => [activity, { output, ...(outcome ? { outcome } : {}) }]),
    )
    return onlyThis({ document, step, reachesOut, pins: kept, answered })
  }, [document, step, reachesOut, kept, executions])
  const last = executions.findLast(({ activity }) => activity === step)
  const begin = (of: typeof kept): void =>
    start.mutate({ input: read.value, pins: of, until: step }, { onSuccess: started })
  const pin = pins[step]
  return (
    <div className={classes.step} data-testid="step-test">
      <Group gap={8}>
        <MayButton
          permission="definitions:write"
          size="xs"
          leftSection={<StepForward size={13} />}
          loading={start.isPending}
          fault={fault}
          onClick={() => begin(kept)}
        >
          Run to here
        </MayButton>
        <MayButton
          permission="definitions:write"
          size="xs"
          variant="default"
          leftSection={<Crosshair size={13} />}
          fault={fault}
          onClick={() => begin(alone.pins)}
        >
          Only this step
        </MayButton>
      </Group>
      <p className="small muted">{mockedText(alone.mocked)}</p>
      {start.error !== null && <ProblemCard name="step-test" error={start.error} />}
      {pin !== undefined && (
        <section>
          <div className={classes.label}>
            <strong>Pinned: it answers this instead of being executed</strong>
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              leftSection={<X size={12} />}
              onClick={() => setTestPins(definitionId, without(pins, step))}
            >
              Unpin
            </Button>
          </div>
          <JsonView value={pin.output} name="pinned output" />
        </section>
      )}
      {last === undefined ? (
        <p className="small muted">It has not run in this test yet. The input is that of the tab Test run below.</p>
      ) : (
        <section data-testid="step-result" data-status={last.status}>
          <div className={classes.label}>
            <strong>Last test</strong>
            <ToneChip tone={looks[last.status].tone}>{looks[last.status].label}</ToneChip>
            {last.status === 'completed' && last.output !== undefined && pin === undefined && (
              <Button
                size="compact-xs"
                variant="subtle"
                leftSection={<PinIcon size={12} />}
                onClick={() => setTestPins(definitionId, { ...pins, [step]: pinOf(last.output, last.outcome) })}
              >
                Pin
              </Button>
            )}
          </div>
          {last.error !== undefined && (
            <p className={classes.fault} role="alert">
              {last.error.message}
            </p>
          )}
          {last.output !== undefined && <JsonView value={last.output} name="output" />}
        </section>
      )}
    </div>
  )
}

const without = <T,>(pins: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(pins).filter(([each]) => each !== id))

const pinOf = (output: unknown, outcome: string | undefined) => ({
  output,
  ...(outcome === undefined || outcome === 'done' ? {} : { outcome }),
})

function mockedText(mocked: readonly Mocked[]): string {
  if (mocked.length === 0) return 'No other step reaches outside: alone it is the same as up to here.'
  const names = mocked.map(({ name, by }) => (by === 'nothing' ? `${name} (null, it never answered)` : name))
  return `Alone, these are not executed and answer what they are pinned to, or what they answered last: ${names.join(', ')}.`
}
