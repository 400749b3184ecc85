import { Link } from '@tanstack/react-router'
import type { Schedule } from '../../api/wire.ts'
import classes from './schedule-charts.module.css'

/** What stands above the rows, each at its share of their width. */
export function Axis({ marks }: { readonly marks: readonly { readonly share: number; readonly text: string }[] }) {
  return (
    <div className={classes.axis} aria-hidden>
      <span />
      <span className={classes.ticks}>
        {marks.map(({ share, text }) => (
          <span key={share} style={{ left: `${share * 100}%` }}>
            {text}
          </span>
        ))}
      </span>
      <span />
    </div>
  )
}

export const Row = ({ schedule, children }: { readonly schedule: Schedule; readonly children: React.ReactNode }) => (
  <li data-schedule={schedule.id}>
    <Link
      to="/schedules/$scheduleId"
      params={{ scheduleId: schedule.id }}
      className="link clip"
      title={schedule.name ?? schedule.id}
    >
      {schedule.name ?? schedule.id}
    </Link>
    {children}
  </li>
)
