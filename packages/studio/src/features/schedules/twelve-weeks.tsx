import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page, Schedule, ScheduleRun } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'
import { Card } from '../../ui/page.tsx'
import { Axis, Row } from './chart-row.tsx'
import { DAY_MS } from './day-lane.ts'
import { DAYS, dayText, type HeatDay, heatOf, levelOf } from './run-heat.ts'
import classes from './schedule-charts.module.css'

const RUNS_READ = 200
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** What became of the runs of each schedule, by days: how many there were, and where some failed. */
export function TwelveWeeks({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const now = useNow()
  const pages = useQueries({
    queries: schedules.map(({ id }) => ({
      queryKey: ['schedules', 'heat', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<Page<ScheduleRun>>('GET', `/schedules/${encodeURIComponent(id)}/runs`, {
          query: { limit: RUNS_READ },
          signal,
        }),
      staleTime: 60_000,
      refetchInterval: 300_000,
    })),
  })
  const first = Math.floor(now / DAY_MS) - DAYS + 1
  const weeks = Array.from({ length: DAYS / 14 }, (_, index) => ({
    share: (index * 14) / DAYS,
    text: day.format((first + index * 14) * DAY_MS),
  }))
  return (
    <Card
      title="Last 12 weeks"
      aside={<span className="small muted">Days in UTC; the latest {RUNS_READ} runs of each</span>}
    >
      <div className={classes.chart} data-testid="schedule-heat">
        <Axis marks={weeks} />
        <ul>
          {schedules.map((schedule, index) => (
            <Row key={schedule.id} schedule={schedule}>
              <HeatTrack
                days={heatOf(pages[index]?.data?.items ?? [], pages[index]?.data?.page.next === null, now)}
                isRead={pages[index]?.data !== undefined}
                fault={pages[index]?.error}
              />
            </Row>
          ))}
        </ul>
      </div>
      <p className={classes.key}>
        <span data-level="1" /> <span data-level="2" /> <span data-level="3" /> <span data-level="4" /> few to many runs{' '}
        <span data-level="4" data-failed="true" /> some failed <span data-unknown="true" /> not read
      </p>
    </Card>
  )
}

function HeatTrack(props: { readonly days: readonly HeatDay[]; readonly isRead: boolean; readonly fault: unknown }) {
  const { days, isRead, fault } = props
  const most = Math.max(1, ...days.map(({ runs }) => runs))
  const [runs, failed] = [sum(days, 'runs'), sum(days, 'failed')]
  return (
    <>
      <span className={classes.days} aria-hidden>
        {days.map((each) => (
          <i
            key={each.at}
            title={dayText(each)}
            data-level={levelOf(each, most)}
            data-failed={each.failed > 0}
            data-unknown={!each.isKnown}
          />
        ))}
      </span>
      <span className={classes.told} data-bad={failed > 0}>
        {fault != null ? 'not answered' : isRead ? `${runs} run${runs === 1 ? '' : 's'}, ${failed} failed` : '…'}
      </span>
    </>
  )
}

const sum = (days: readonly HeatDay[], name: 'runs' | 'failed'): number =>
  days.reduce((total, each) => total + each[name], 0)
