import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Preview, Schedule } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'
import { Card } from '../../ui/page.tsx'
import { Axis, Row } from './chart-row.tsx'
import { hoursOf, type Lane, laneOf } from './day-lane.ts'
import classes from './schedule-charts.module.css'

const TIMES_READ = 150
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** When each schedule fires in the next 24 hours, one below the other: what meets is seen at once. */
export function NextDay({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const now = useNow()
  // Moves on by minutes: nothing is drawn finer than that.
  const from = Math.floor(now / 60_000) * 60_000
  const previews = useQueries({
    queries: schedules.map(({ id }) => ({
      queryKey: ['schedules', 'day', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<Preview>('GET', `/schedules/${encodeURIComponent(id)}/preview`, { query: { count: TIMES_READ }, signal }),
      staleTime: 60_000,
      refetchInterval: 300_000,
    })),
  })
  return (
    <Card title="Next 24 hours" aside={<span className="small muted">Times as your clock shows them</span>}>
      <div className={classes.chart} data-testid="schedule-lanes">
        <Axis marks={hoursOf(from, (at) => clock.format(at))} />
        <ul>
          {schedules.map((schedule, index) => (
            <Row key={schedule.id} schedule={schedule}>
              <LaneTrack
                lane={laneOf(previews[index]?.data?.items ?? [], from, TIMES_READ)}
                isPaused={schedule.paused}
                isRead={previews[index]?.data !== undefined}
                fault={previews[index]?.error}
              />
            </Row>
          ))}
        </ul>
      </div>
      <p className={classes.key}>
        <span data-mark="fires" /> fires <span data-mark="off" /> left out by a calendar <span data-mark="band" /> more
        often than can be drawn <span data-mark="paused" /> paused: would fire
      </p>
    </Card>
  )
}

function LaneTrack(props: {
  readonly lane: Lane
  readonly isPaused: boolean
  readonly isRead: boolean
  readonly fault: unknown
}) {
  const { lane, isPaused, isRead, fault } = props
  return (
    <>
      <svg className={classes.track} viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
        {lane.bandFrom !== undefined && (
          <rect x={lane.bandFrom * 1_000} y={4} width={(1 - lane.bandFrom) * 1_000} height={12} data-mark="band" />
        )}
        {lane.marks.map(({ at, share, fires }) => (
          <line
            key={at}
            x1={share * 1_000}
            x2={share * 1_000}
            y1={3}
            y2={17}
            data-mark={isPaused ? 'paused' : fires ? 'fires' : 'off'}
          />
        ))}
      </svg>
      <span className={classes.told}>{fault != null ? 'not answered' : isRead ? laneText(lane, isPaused) : '…'}</span>
    </>
  )
}

function laneText({ marks, bandFrom }: Lane, isPaused: boolean): string {
  const fires = marks.filter((mark) => mark.fires)
  if (isPaused) return 'paused'
  if (fires.length === 0) return 'not in 24 h'
  if (bandFrom !== undefined) return `over ${fires.length} times`
  return fires.length === 1 ? clock.format(Date.parse(fires[0]!.at)) : `${fires.length} times`
}
