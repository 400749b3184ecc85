import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import { schedulesQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { ScheduleButtons } from './schedule-buttons.tsx'
import { TriggerWords } from './trigger-words.tsx'

export function SchedulesPage() {
  const [search] = useUrlSearch()
  const query = useQuery({ ...schedulesQuery({ cursor: search.cursor, limit: 50 }), refetchInterval: usePollMs(4_000) })
  return (
    <ListPage
      title="Schedules"
      lead="What starts by itself, and when next"
      name="schedules"
      noun="schedule"
      query={query}
      columns={[
        'Schedule',
        'State',
        'Starts',
        'When',
        'Next',
        'Last planned run',
        'Owner',
        { label: 'Actions', right: true },
      ]}
      empty={
        <Empty icon={<CalendarClock size={22} />} title="No schedules">
          A workflow that begins with cron or interval brings its own; others are created through the API.
        </Empty>
      }
      row={(schedule) => (
        <tr key={schedule.id}>
          <td>
            <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} className="link">
              {schedule.name ?? schedule.id}
            </Link>
          </td>
          <td>
            <ToneChip tone={schedule.paused ? 'paused' : 'completed'}>{schedule.paused ? 'Paused' : 'Active'}</ToneChip>
          </td>
          <td>{schedule.definitionId ?? '–'}</td>
          <td>
            <TriggerWords document={schedule.document} />
          </td>
          <td>
            <When at={schedule.nextAt} />
          </td>
          <td>
            <When at={schedule.lastFiredAt} none="never" />
          </td>
          <td className="muted">{schedule.owner ?? 'made by hand'}</td>
          <td className={table.right}>
            <ScheduleButtons schedule={schedule} />
          </td>
        </tr>
      )}
    />
  )
}
