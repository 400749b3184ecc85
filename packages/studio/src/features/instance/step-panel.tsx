import { CloseButton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useEffect } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import type { Activity, ActivityTally, Failure, Instance } from '../../api/wire.ts'
import { listenKeys } from '../../app/keys.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { useNow } from '../../ui/now.ts'
import { Facts } from '../../ui/page.tsx'
import { StatusChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { durationText, shortId } from '../../ui/time-text.ts'
import { ChildRun, childOf } from './child-run.tsx'
import type { Execution } from './executions.ts'
import { waitText } from './fact-look.ts'
import classes from './instance.module.css'
import { StepProgress } from './step-progress.tsx'

const MOST_RUNS = 40
const parts = {
  queued: 'queued',
  running: 'running',
  suspended: 'suspended',
  lock: 'before its lock',
  backoff: 'before a retry',
}

interface PanelProps {
  /** An activity, or one of its runs. */
  readonly step: string
  readonly executions: readonly Execution[]
  readonly activities: ReadonlyMap<string, Activity> | undefined
  readonly instance: Instance
  readonly state: StepState | undefined
  /** Over the whole journal. */
  readonly tally: ActivityTally | undefined
  readonly select: (step: string | undefined) => void
}

export function StepPanel({ step, executions, activities, instance, state, tally, select }: PanelProps) {
  const run = executions.find(({ key }) => key === step) ?? executions.findLast(({ activity }) => activity === step)
  const activity = activities?.get(run?.activity ?? step)
  const runs = executions.filter(({ activity: each }) => each === (run?.activity ?? step))
  useEffect(() => listenKeys({ go: {}, keys: { Escape: () => select(undefined) } }))
  return (
    <aside className={classes.panel} aria-label="Step" data-testid="step-panel">
      <div className={classes.panelHead}>
        <div style={{ flex: 1, minWidth: 0 }}>
          <h2>{activity?.name ?? run?.activity ?? step}</h2>
          <span className="mono small muted">
            {activity === undefined ? (run?.key ?? step) : `${activity.type} · ${run?.key ?? step}`}
          </span>
        </div>
        <CloseButton aria-label="Close the step" onClick={() => select(undefined)} />
      </div>
      <div className={classes.panelBody}>
        {runs.length > 1 && (
          <div>
            <h3>
              {(tally?.runs ?? runs.length).toLocaleString('en')} runs
              {runs.length < (tally?.runs ?? 0) && `, the last ${Math.min(MOST_RUNS, runs.length)}`}
            </h3>
            <div className={classes.runs}>
              {runs.slice(-MOST_RUNS).map((each) => (
                <button type="button" key={each.key} aria-pressed={each === run} onClick={() => select(each.key)}>
                  {each.key}
                </button>
              ))}
            </div>
          </div>
        )}
        {run === undefined ? (
          <Tallied state={state} tally={tally} />
        ) : (
          <RunParts run={run} status={runs.at(-1) === run ? (state?.status ?? run.status) : run.status} />
        )}
        {run?.endedAt === undefined && instance.finishedAt === null && (
          <StepProgress instance={instance} step={run?.key ?? step} />
        )}
        {run !== undefined && childOf(run) !== undefined && <ChildRun instanceId={childOf(run)!} key={childOf(run)} />}
        {run?.status === 'faulted' && instance.status === 'faulted' && <RetryHere instance={instance} run={run} />}
        {activity?.description !== undefined && (
          <div>
            <h3>What it is for</h3>
            {activity.description}
          </div>
        )}
        {activity?.inputs !== undefined && (
          <div>
            <h3>Inputs, as they are written</h3>
            <JsonView value={activity.inputs} name="inputs" />
          </div>
        )}
      </div>
    </aside>
  )
}

/** What is known of an activity whose runs lie further back than the facts that are here. */
function Tallied({ state, tally }: Pick<PanelProps, 'state' | 'tally'>) {
  if (state === undefined) return <div>It has not run in this instance.</div>
  if (tally === undefined) return <StatusChip status={state.status} />
  const left = Object.entries(tally.outcomes).map(([outcome, count]) => `${outcome} ×${count.toLocaleString('en')}`)
  return (
    <>
      <Facts
        items={[
          ['Status', <StatusChip key="status" status={state.status} />],
          ['First', <When key="first" at={tally.firstAt} />],
          ['Last', <When key="last" at={tally.lastAt} />],
          ['Runs', tally.runs.toLocaleString('en')],
          ...(tally.retries === 0 ? [] : [['Retries', tally.retries.toLocaleString('en')] as const]),
          ...(tally.failures === 0 ? [] : [['Failures', tally.failures.toLocaleString('en')] as const]),
          ...(left.length === 0 ? [] : [['Left by', left.join(', ')] as const]),
        ]}
      />
      {tally.lastError !== null && <FailureBox title="Last error" error={tally.lastError} />}
      <p className="small muted">Its single runs lie further back: go to an earlier fact to see them.</p>
    </>
  )
}

function FailureBox({ title, error }: { readonly title: string; readonly error: Failure }) {
  return (
    <div>
      <h3>{title}</h3>
      <div className={classes.failure}>
        <strong className="mono small">{error.code}</strong>
        <br />
        {error.message}
      </div>
    </div>
  )
}

function RunParts({ run, status }: { readonly run: Execution; readonly status: Execution['status'] }) {
  const now = useNow()
  const sums = new Map<string, number>()
  for (const part of run.segments) sums.set(part.kind, (sums.get(part.kind) ?? 0) + (part.to ?? now) - part.from)
  const assigned = run.facts.at(-1)?.data.assign
  return (
    <>
      <Facts
        items={[
          ['Status', <StatusChip key="status" status={status} />],
          ['Began', <When key="began" at={new Date(run.begunAt).toISOString()} />],
          ['Took', <span key="took">{durationText((run.endedAt ?? now) - run.begunAt)}</span>],
          ...(['running', 'suspended', 'lock', 'backoff'] as const)
            .filter((kind) => sums.size > 1 && (sums.get(kind) ?? 0) > 0)
            .map((kind) => [`· ${parts[kind]}`, durationText(sums.get(kind)!)] as const),
          ['Attempts', String(run.attempts)],
          ...(run.outcome === undefined || run.outcome === 'done' ? [] : [['Left by', run.outcome] as const]),
          ...(run.wait === undefined
            ? []
            : [[run.endedAt === undefined ? 'Waits for' : 'Waited for', waitText(run.wait)] as const]),
          [
            'Node',
            <span key="node" className="mono small">
              {shortId(run.facts.at(-1)?.nodeId ?? '–')}
              <CopyButton text={run.facts.at(-1)?.nodeId ?? ''} what="node id" />
            </span>,
          ],
        ]}
      />
      {run.error !== undefined && (
        <FailureBox title={run.status === 'faulted' ? 'Error' : 'Last error'} error={run.error} />
      )}
      {run.output !== undefined && (
        <div>
          <h3>Output</h3>
          <JsonView value={run.output} name="output" />
        </div>
      )}
      {assigned !== undefined && (
        <div>
          <h3>Variables it changed</h3>
          <JsonView value={assigned} name="variables" />
        </div>
      )}
    </>
  )
}

function RetryHere({ instance, run }: { readonly instance: Instance; readonly run: Execution }) {
  const client = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call('POST', `/workflow-instances/${instance.id}/retry`, { body: { step: run.key } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['instance', instance.id] }),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  return (
    <MayButton
      size="xs"
      permission="instances:operate"
      leftSection={<RotateCw size={14} />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      Retry from here
    </MayButton>
  )
}
