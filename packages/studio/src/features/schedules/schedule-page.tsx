import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { nodesQuery, schedulePreviewQuery, scheduleQuery, scheduleRunsQuery } from '../../api/queries.ts'
import type { InstanceStatus, ScheduleRun } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { looks, StatusChip, ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { ScheduleButtons } from './schedule-buttons.tsx'
import classes from './schedules.module.css'
import { triggerText } from './trigger-text.ts'

export function SchedulePage() {
  const { scheduleId } = useParams({ strict: false }) as { readonly scheduleId: string }
  const schedule = useQuery({ ...scheduleQuery(scheduleId), refetchInterval: usePollMs(4_000) })
  const preview = useQuery({ ...schedulePreviewQuery(scheduleId), refetchInterval: usePollMs(20_000) })
  const { data } = schedule
  return (
    <Page
      title={data?.name ?? scheduleId}
      lead={data === undefined ? undefined : <span className="mono">{triggerText(data.document)}</span>}
      actions={data === undefined ? undefined : <ScheduleButtons schedule={data} size="xs" />}
    >
      <div className={classes.columns}>
        <Runs scheduleId={scheduleId} />
        <div className={classes.side}>
          <Card title="Schedule">
            <Area name="schedule" query={schedule} rows={4}>
              {(found) => (
                <>
                  <Facts
                    items={[
                      [
                        'State',
                        <ToneChip key="state" tone={found.paused ? 'paused' : 'completed'}>
                          {found.paused ? 'Paused' : 'Active'}
                        </ToneChip>,
                      ],
                      ['Starts', found.definitionId ?? '–'],
                      ['Next', <When key="next" at={found.nextAt} />],
                      ['Last fired', <When key="last" at={found.lastFiredAt} none="never" />],
                      ['Owner', found.owner ?? 'a person'],
                    ]}
                  />
                  <div className={classes.document}>
                    <JsonView value={found.document} name="schedule" />
                  </div>
                </>
              )}
            </Area>
          </Card>
          <Card title="Next times" flush>
            <Area name="preview" query={preview} rows={5}>
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
        </div>
      </div>
    </Page>
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
          <div className={table.wrap}>
            <table className={table.table}>
              <thead>
                <tr>
                  <th>Run</th>
                  <th>Due</th>
                  <th>Fired</th>
                  <th>By</th>
                  <th>Instance</th>
                </tr>
              </thead>
              <tbody>
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
                      {nodeName(run.nodeId)} <span className="small muted">{run.origin}</span>
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
              </tbody>
            </table>
          </div>
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
