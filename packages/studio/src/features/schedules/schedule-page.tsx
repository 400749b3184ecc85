import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { nodesQuery, schedulePreviewQuery, scheduleQuery, scheduleRunsQuery } from '../../api/queries.ts'
import type { InstanceStatus, Schedule, ScheduleRun } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Table } from '../../ui/list.tsx'
import { Missing } from '../../ui/missing.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { looks, StatusChip, ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { ScheduleButtons } from './schedule-buttons.tsx'
import classes from './schedules.module.css'
import { TriggerWords } from './trigger-words.tsx'

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
            <Runs scheduleId={scheduleId} />
            <div className={classes.side}>
              <FactsOf schedule={found} />
              <NextTimes scheduleId={scheduleId} />
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
        ['Starts', schedule.definitionId ?? '–'],
        ['Next', <When key="next" at={schedule.nextAt} />],
        ['Last planned', <When key="last" at={schedule.lastFiredAt} none="never" />],
        ['Owner', schedule.owner ?? 'made by hand'],
      ]}
    />
    <div className={classes.document}>
      <JsonView value={schedule.document} name="schedule" />
    </div>
  </Card>
)

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
        {({ items }) => (
          <ul className={classes.preview}>
            {items.map((line) => (
              <li key={line.at} data-off={line.status !== 'fires'}>
                <span className="num mono">
                  {line.wall.replace('T', ' ')} <span className="muted">{line.offset}</span>
                </span>
                <span className="small muted">
                  {line.dst !== null && <ToneChip tone="retrying">Clocks change: {line.dst}</ToneChip>}{' '}
                  {line.calendar ?? (line.status === 'fires' ? '' : line.status)} <When at={line.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Area>
    </Card>
  )
}

function Runs({ scheduleId }: { readonly scheduleId: string }) {
  const query = useQuery({ ...scheduleRunsQuery(scheduleId), refetchInterval: usePollMs(3_000) })
  const { data: nodes } = useQuery(nodesQuery())
  const nodeName = (id: string): string => nodes?.items.find((node) => node.id === id)?.name ?? shortId(id)
  return (
    <Card title="Runs" flush>
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

function RunState({ run }: { readonly run: ScheduleRun }) {
  if (run.state === 'skipped') {
    return (
      <ToneChip tone="ended">
        Skipped{run.count > 1 ? ` ×${run.count}` : ''}
        {run.reason === null ? '' : `: ${run.reason}`}
      </ToneChip>
    )
  }
  if (run.state === 'waiting') return <ToneChip tone="queued">Waits its turn</ToneChip>
  return run.status !== null && run.status in looks ? (
    <StatusChip status={run.status as InstanceStatus} />
  ) : (
    <StatusChip status="running" label="Started" />
  )
}
