import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import { schedulesQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { ScheduleButtons } from './schedule-buttons.tsx'
import { triggerText } from './trigger-text.ts'

export function SchedulesPage() {
  const [search, change] = useUrlSearch()
  const query = useQuery({ ...schedulesQuery({ cursor: search.cursor, limit: 50 }), refetchInterval: usePollMs(4_000) })
  return (
    <Page title="Schedules" lead="What starts by itself, and when next">
      <Card flush>
        <Area
          name="schedules"
          query={query}
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty icon={<CalendarClock size={22} />} title="No schedules">
              A workflow that begins with cron or interval brings its own; others are created through the API.
            </Empty>
          }
        >
          {(page) => (
            <>
              <div className={table.wrap}>
                <table className={table.table}>
                  <thead>
                    <tr>
                      <th>Schedule</th>
                      <th>State</th>
                      <th>Starts</th>
                      <th>When</th>
                      <th>Next</th>
                      <th>Last fired</th>
                      <th>Owner</th>
                      <th className={table.right}>Do</th>
                    </tr>
                  </thead>
                  <tbody>
                    {page.items.map((schedule) => (
                      <tr key={schedule.id}>
                        <td>
                          <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} className="link">
                            {schedule.name ?? schedule.id}
                          </Link>
                        </td>
                        <td>
                          <ToneChip tone={schedule.paused ? 'paused' : 'completed'}>
                            {schedule.paused ? 'Paused' : 'Active'}
                          </ToneChip>
                        </td>
                        <td>{schedule.definitionId ?? '–'}</td>
                        <td className="mono">{triggerText(schedule.document)}</td>
                        <td>
                          <When at={schedule.nextAt} />
                        </td>
                        <td>
                          <When at={schedule.lastFiredAt} none="never" />
                        </td>
                        <td className="muted">{schedule.owner ?? 'a person'}</td>
                        <td className={table.right}>
                          <ScheduleButtons schedule={schedule} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} noun="schedule" go={(cursor) => change({ cursor })} />
            </>
          )}
        </Area>
      </Card>
    </Page>
  )
}
