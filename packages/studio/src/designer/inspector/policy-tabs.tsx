import { Button, NativeSelect } from '@mantine/core'
import { Plus } from 'lucide-react'
import {
  addBody,
  bodiesOf,
  type Json,
  type JsonObject,
  type PlacedProblem,
  type Step,
  setField,
} from '../model/index.ts'
import { isObject } from '../model/json.ts'
import { useDesigner, useView } from '../state/designer-state.ts'
import classes from './inspector.module.css'
import { ParsedField } from './parsed-field.tsx'

interface PolicyProps {
  readonly step: Step
  readonly problems: readonly PlacedProblem[]
}

const errorAt = (problems: readonly PlacedProblem[], path: string): string | undefined =>
  problems.find((problem) => problem.path === path || problem.path.startsWith(`${path}/`))?.text

/** An empty object says nothing: it is left out. */
const without = (object: JsonObject, name: string, value: Json | undefined): JsonObject | undefined => {
  const { [name]: _, ...rest } = object
  const next = value === undefined ? rest : { ...rest, [name]: value }
  return Object.keys(next).length === 0 ? undefined : next
}

export function RetryTab({ step, problems }: PolicyProps) {
  const { design, readOnly } = useDesigner()
  const retry = isObject(step.fields.retry) ? step.fields.retry : {}
  const backoff = isObject(retry.backoff) ? retry.backoff : {}
  const set = (name: string, value: Json | undefined): void =>
    setField(design, step.key, 'retry', without(retry, name, value))
  const common = { readOnly: readOnly !== undefined }
  const field = (name: string, label: string, description: string, placeholder?: string) => (
    <ParsedField
      {...common}
      id={`policy-${step.key}-${name}`}
      kind="number-or-text"
      label={label}
      description={description}
      placeholder={placeholder}
      value={step.fields[name]}
      onChange={(value) => setField(design, step.key, name, value)}
      error={errorAt(problems, name)}
    />
  )
  return (
    <div className={classes.fields}>
      <ParsedField
        {...common}
        id={`policy-${step.key}-attempts`}
        kind="number"
        label="Attempts"
        description="In all, the first one included."
        placeholder="1"
        value={retry.attempts}
        onChange={(value) => set('attempts', value)}
        error={errorAt(problems, 'retry')}
      />
      {(['initial', 'factor', 'max'] as const).map((name) => (
        <ParsedField
          {...common}
          key={name}
          id={`policy-${step.key}-backoff-${name}`}
          kind="number-or-text"
          label={{ initial: 'First pause', factor: 'Growth of the pause', max: 'Longest pause' }[name]}
          placeholder={{ initial: '1s', factor: '2', max: '5m' }[name]}
          value={backoff[name]}
          onChange={(value) => set('backoff', without(backoff, name, value))}
        />
      ))}
      {field('timeout', 'Timeout', 'How long it may take.', '30s, 5m, 2h')}
      {field('heartbeatTimeout', 'Heartbeat timeout', 'An attempt that gives no heartbeat for so long has failed.')}
      {(['lock', 'limit', 'breaker'] as const).map((name) => (
        <ParsedField
          {...common}
          key={name}
          id={`policy-${step.key}-${name}`}
          kind="json"
          label={{ lock: 'Lock', limit: 'Limit', breaker: 'Breaker' }[name]}
          description={
            {
              lock: 'Held on the whole cluster while an attempt runs: a name, or { "name", "waitMs", "ttlMs" }.',
              limit: 'Shared by all steps with its key: { "key", "concurrency", "rate" }.',
              breaker: 'Stops trying what fails: { "failures", "window", "openFor" }.',
            }[name]
          }
          value={step.fields[name]}
          onChange={(value) => setField(design, step.key, name, value)}
          error={errorAt(problems, name)}
        />
      ))}
    </div>
  )
}

const choices = {
  onError: {
    label: 'When it fails for good',
    data: [
      ['fault', 'The workflow has failed'],
      ['continue', 'Go on through done'],
      ['outcome', 'Leave through failed'],
    ],
  },
  effect: {
    label: 'When a node dies in the middle of it',
    data: [
      ['atLeastOnce', 'It runs again'],
      ['atMostOnce', 'A person is asked'],
      ['transactional', 'Nothing of it has happened'],
    ],
  },
  join: {
    label: 'When several lines lead here',
    data: [
      ['all', 'It waits for all'],
      ['any', 'The first one is enough'],
    ],
  },
} as const

export function ErrorTab({ step, problems }: PolicyProps) {
  const { design, readOnly } = useDesigner()
  const view = useView()
  const undone = bodiesOf(view, step.key).some(({ slot }) => slot === 'compensate')
  return (
    <div className={classes.fields}>
      {(['onError', 'effect', 'join'] as const).map((name) => (
        <NativeSelect
          key={name}
          size="xs"
          label={choices[name].label}
          disabled={readOnly !== undefined}
          error={errorAt(problems, name)}
          value={typeof step.fields[name] === 'string' ? (step.fields[name] as string) : ''}
          data={[
            { value: '', label: `${choices[name].data[0][1]} (default)` },
            ...choices[name].data.map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) =>
            setField(design, step.key, name, event.currentTarget.value === '' ? undefined : event.currentTarget.value)
          }
        />
      ))}
      <div>
        <p className={classes.fieldHead}>Undo steps</p>
        <p className="small muted">
          Steps that undo this one after it has completed, when the workflow fails or is cancelled.
        </p>
        {undone ? (
          <p className="small">It has some: see the drawing.</p>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<Plus size={12} />}
            disabled={readOnly !== undefined}
            onClick={() => addBody(design, step.key, 'compensate')}
          >
            Add undo steps
          </Button>
        )}
      </div>
    </div>
  )
}
