import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, Pin as PinIcon } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Activity, Instance } from '../../api/wire.ts'
import { CodeEditor } from '../../editor/lazy-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { type Look, looks, StatusChip, ToneChip, toneStyle } from '../../ui/status.tsx'
import { Took } from '../../ui/time.tsx'
import type { Execution } from '../instance/executions.ts'
import type { Pins } from './pins.ts'
import classes from './test-run.module.css'

interface ResultsProps {
  readonly run: Instance
  readonly executions: readonly Execution[]
  readonly steps: ReadonlyMap<string, Activity>
  readonly pins: Pins
  readonly pin: (id: string, output: unknown, outcome: string | undefined) => void
}

/** What came of it, step by step. */
export function TestResults({ run, executions, steps, pins, pin }: ResultsProps) {
  return (
    <>
      <div className={classes.head} data-testid="test-result" data-status={run.status}>
        <StatusChip status={run.status} />
        <ToneChip tone="suspended">
          <FlaskConical size={11} aria-hidden /> Test
        </ToneChip>
        <span className="small muted">
          <Took from={run.createdAt} to={run.finishedAt} />
        </span>
      </div>
      {run.error !== null && (
        <p className={classes.fault} role="alert">
          {run.error.message}
        </p>
      )}
      {run.waitingFor.map(
        ({ bookmarkId, name }) =>
          bookmarkId !== null && <Waiting key={bookmarkId} runId={run.id} bookmarkId={bookmarkId} name={name} />,
      )}
      <ul className={classes.steps}>
        {executions.map((execution) => (
          <Step
            key={`${execution.key} ${execution.begunAt}`}
            execution={execution}
            name={steps.get(execution.activity)?.name ?? execution.activity}
            isPinned={pins[execution.activity] !== undefined}
            pin={pin}
          />
        ))}
      </ul>
      {run.status === 'completed' && hasMembers(run.output) && (
        <section>
          <div className={classes.label}>
            <strong>Output</strong>
          </div>
          <JsonView value={run.output} name="output" />
        </section>
      )}
    </>
  )
}

const hasMembers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== null

function Step(props: {
  readonly execution: Execution
  readonly name: string
  readonly isPinned: boolean
  readonly pin: ResultsProps['pin']
}) {
  const { execution, name } = props
  const { key, activity, status, output, outcome, error, facts } = execution
  const wasPinned = facts.some(({ data }) => data.by === 'pin')
  const text = error === undefined ? (output === undefined ? '' : JSON.stringify(output)) : error.message
  return (
    <li data-result={activity} data-status={status} data-pinned={wasPinned}>
      <StepStatus status={status} />
      <span className={`clip ${classes.name}`} title={key}>
        {name}
      </span>
      {wasPinned && (
        <ToneChip tone="paused">
          <PinIcon size={11} aria-hidden /> Pinned
        </ToneChip>
      )}
      {outcome !== undefined && outcome !== 'done' && <span className="small muted">{outcome}</span>}
      <span
        className={`mono small clip ${classes.answer} ${error === undefined ? 'muted' : classes.fault}`}
        title={text.slice(0, 500)}
      >
        {text.slice(0, 200)}
      </span>
      {status === 'completed' && output !== undefined && !props.isPinned && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<PinIcon size={12} />}
          aria-label={`Pin the output of ${name}`}
          onClick={() => props.pin(activity, output, outcome)}
        >
          Pin
        </Button>
      )}
    </li>
  )
}

function StepStatus({ status }: { readonly status: Look }) {
  const { icon: Icon, label, tone } = looks[status]
  return (
    <span className={classes.status} style={toneStyle(tone)} title={label}>
      <Icon size={12} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  )
}

/** No event from outside reaches a test: what it waits for is given here. */
function Waiting({
  runId,
  bookmarkId,
  name,
}: {
  readonly runId: string
  readonly bookmarkId: string
  readonly name: string
}) {
  const [payload, setPayload] = useState('{}')
  const client = useQueryClient()
  const resume = useMutation({
    mutationFn: () =>
      call('POST', `/test-runs/${runId}/resume`, {
        body: { bookmark: bookmarkId, payload: JSON.parse(payload || 'null') },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['test-run', runId] }),
  })
  return (
    <div className={classes.waiting}>
      <div className={classes.label}>
        <span>
          Waits for <strong>{name}</strong>. Go on with
        </span>
        <Button size="compact-xs" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      </div>
      <CodeEditor
        label={`Payload for ${name}`}
        language="json"
        value={payload}
        onChange={setPayload}
        lines={{ least: 1, most: 5 }}
      />
      {resume.error !== null && <ProblemCard name="test-resume" error={resume.error} />}
    </div>
  )
}
