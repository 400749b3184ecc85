import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { nodesQuery, schedulePreviewQuery, scheduleQuery, scheduleRunsQuery } from '../../api/queries.ts'
import type { Schedule, ScheduleRun } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Table } from '../../ui/list.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { Drift } from './drift.tsx'
import { PreviewLines } from './preview-lines.tsx'
import { RunState } from './run-state.tsx'
import { ScheduleButtons } from './schedule-buttons.tsx'
import { MISFIRES, OVERLAPS } from './schedule-form.ts'
import classes from './schedules.module.css'
import { ownerText } from './trigger-text.ts'
import { TriggerWords } from './trigger-words.tsx'
import { TwelveWeeks } from './twelve-weeks.tsx'

export function SchedulePage() {
  const { scheduleId } = useParams({ strict: false }) as { readonly scheduleId: string }
  const schedule = useQuery({ ...scheduleQuery(scheduleId), refetchInterval: usePollMs(4_000) })
  const { data } = schedule
  return (
    <Page
      title={data?.name ?? scheduleId}
      lead={data === undefined ? undefined : <TriggerWords document={data.document} />}
      actions={data === undefined ? undefined : <ScheduleButtons schedule={data} size="xs" />}
    >
      <Area
        name="schedule"
        query={schedule}
        rows={10}
        missing={
          <Missing title="There is no such schedule" list={{ to: '/schedules', label: 'All schedules' }}>
            Nothing is called <span className="mono">{scheduleId}</span>. A schedule that a workflow brought goes when a
            version without it is published.
          </Missing>
        }
      >
        {(found) => (
          <div className={classes.columns}>
            <div className={classes.side}>
              <TwelveWeeks schedules={[found]} />
              <Runs scheduleId={scheduleId} />
            </div>
            <div className={classes.side}>
              <FactsOf schedule={found} />
              <NextTimes scheduleId={scheduleId} />
              <LatestDrift scheduleId={scheduleId} />
            </div>
          </div>
        )}
      </Area>
    </Page>
  )
}

const FactsOf = ({ schedule }: { readonly schedule: Schedule }) => (
  <Card title="Schedule">
    <Facts
      items={[
        [
          'State',
          <ToneChip key="state" tone={schedule.paused ? 'paused' : 'completed'}>
            {schedule.paused ? 'Paused' : 'Active'}
          </ToneChip>,
        ],
        ['Starts', <Started key="starts" schedule={schedule} />],
        ['Fires', <TriggerWords key="fires" document={schedule.document} />],
        ['Next', <When key="next" at={schedule.nextAt} />],
        ['Last planned', <When key="last" at={schedule.lastFiredAt} none="never" />],
        ['When times were missed', misfireText(schedule.document.misfire)],
        ['When an earlier run is not over', overlapText(schedule.document.overlap)],
        ['Made by', ownerText(schedule.owner)],
      ]}
    />
    {schedule.document.input !== undefined && (
      <div className={classes.document}>
        <h3 className="small muted">Input of each run</h3>
        <JsonView value={schedule.document.input} name="input" />
      </div>
    )}
    <details className={classes.document}>
      <summary className="small muted">As its author wrote it</summary>
      <JsonView value={schedule.document} name="schedule" />
    </details>
  </Card>
)

function Started({ schedule: { definitionId, document } }: { readonly schedule: Schedule }) {
  if (definitionId === null) return '–'
  if (document.job !== undefined) return `job ${definitionId}`
  return (
    <Link to="/definitions/$definitionId" params={{ definitionId }} className="link">
      {definitionId}
    </Link>
  )
}

const labelOf = (choices: readonly { readonly value: string; readonly label: string }[], value: string): string =>
  choices.find((each) => each.value === value)?.label ?? value

const misfireText = (misfire: unknown): string =>
  typeof misfire === 'object' && misfire !== null && 'catchUp' in misfire
    ? `Run the latest ${String(misfire.catchUp)} of them`
    : labelOf(MISFIRES, String(misfire ?? 'fire-once'))

const overlapText = (overlap: unknown): string => labelOf(OVERLAPS, String(overlap ?? 'skip'))

function NextTimes({ scheduleId }: { readonly scheduleId: string }) {
  const preview = useQuery({ ...schedulePreviewQuery(scheduleId), refetchInterval: usePollMs(20_000) })
  return (
    <Card title="Next times" flush>
      <Area
        name="preview"
        query={preview}
        rows={5}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className={classes.none}>It does not fire again.</p>}
      >
        {({ items }) => <PreviewLines items={items} />}
      </Area>
    </Card>
  )
}

function Runs({ scheduleId }: { readonly scheduleId: string }) {
  const query = useQuery({ ...scheduleRunsQuery(scheduleId), refetchInterval: usePollMs(3_000) })
  const { data: nodes } = useQuery(nodesQuery())
  const nodeName = (id: string): string => nodes?.items.find((node) => node.id === id)?.name ?? shortId(id)
  return (
    <Card title="Runs" flush aside={query.data && <LateOnes runs={query.data.items} />}>
      <Area
        name="runs"
        query={query}
        isEmpty={({ items }) => items.length === 0}
        empty={<p className={classes.none}>It has not fired yet.</p>}
      >
        {({ items }) => (
          <Table columns={['Run', 'Due', 'Fired', 'By', 'Instance']}>
            {items.map((run) => (
              <tr key={run.id}>
                <td>
                  <RunState run={run} />
                </td>
                <td>
                  <When at={run.nominalAt} />
                  {run.late && <span className="small"> late</span>}
                </td>
                <td>
                  <When at={run.firedAt} />
                </td>
                <td>
                  {nodeName(run.nodeId)}{' '}
                  <span className="small muted">{run.origin === 'request' ? 'run now' : run.origin}</span>
                </td>
                <td>
                  {run.instanceId === null ? (
                    <span className="muted">–</span>
                  ) : (
                    <Link to="/instances/$instanceId" params={{ instanceId: run.instanceId }} className="mono link">
                      {shortId(run.instanceId)}
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Area>
    </Card>
  )
}

function LatestDrift({ scheduleId }: { readonly scheduleId: string }) {
  const { data } = useQuery(scheduleRunsQuery(scheduleId))
  return data === undefined ? null : <Drift runs={data.items} />
}

/** Of the runs that are shown: those that came late, and those that were let go. */
function LateOnes({ runs }: { readonly runs: readonly ScheduleRun[] }) {
  const late = runs.filter((run) => run.late).length
  const skipped = runs.filter(({ state }) => state === 'skipped').reduce((sum, { count }) => sum + count, 0)
  return (
    <span className="small muted" data-testid="late-runs">
      {late} late, {skipped} skipped of the latest {runs.length}
    </span>
  )
}
