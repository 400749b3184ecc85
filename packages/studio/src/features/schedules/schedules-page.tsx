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
import { NewScheduleButton } from './new-schedule-button.tsx'
import { ScheduleButtons } from './schedule-buttons.tsx'
import classes from './schedules.module.css'
import { ownerText } from './trigger-text.ts'
import { TriggerWords } from './trigger-words.tsx'

export function SchedulesPage() {
  const [search] = useUrlSearch()
  const query = useQuery({
    ...schedulesQuery({ definitionId: search.definition, cursor: search.cursor, limit: 50 }),
    refetchInterval: usePollMs(4_000),
  })
  return (
    <ListPage
      title="Schedules"
      lead="What starts by itself, and when next"
      actions={<NewScheduleButton />}
      search={{ parameter: 'definition', label: 'Starts workflow (id)' }}
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
        'Made by',
        { label: 'Actions', right: true },
      ]}
      empty={
        <Empty icon={<CalendarClock size={22} />} title="No schedules">
          {search.definition
            ? 'Nothing starts a workflow of that id.'
            : 'A workflow that begins with cron or interval brings its own. Others are made here or through the API.'}
        </Empty>
      }
      row={(schedule) => (
        <tr key={schedule.id}>
          <td className={classes.name} title={schedule.id}>
            <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} className="link">
              {schedule.name ?? schedule.id}
            </Link>
          </td>
          <td>
            <ToneChip tone={schedule.paused ? 'paused' : 'completed'}>{schedule.paused ? 'Paused' : 'Active'}</ToneChip>
          </td>
          <td>
            {schedule.definitionId === null || schedule.document.job !== undefined ? (
              (schedule.definitionId ?? '–')
            ) : (
              <Link to="/definitions/$definitionId" params={{ definitionId: schedule.definitionId }} className="link">
                {schedule.definitionId}
              </Link>
            )}
          </td>
          <td className={classes.when}>
            <TriggerWords document={schedule.document} />
          </td>
          <td>
            <When at={schedule.nextAt} />
          </td>
          <td>
            <When at={schedule.lastFiredAt} none="never" />
          </td>
          <td className="muted">{ownerText(schedule.owner)}</td>
          <td className={table.right}>
            <ScheduleButtons schedule={schedule} />
          </td>
        </tr>
      )}
    />
  )
}
