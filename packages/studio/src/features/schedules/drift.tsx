import type { ScheduleRun } from '../../api/wire.ts'
import { Card } from '../../ui/page.tsx'
import { durationText } from '../../ui/time-text.ts'
import classes from './schedule-charts.module.css'

const BOUNDS = [100, 1_000, 10_000, 60_000] as const

/** How late runs were fired, of those that are shown: a bar for each bound. */
export function Drift({ runs }: { readonly runs: readonly ScheduleRun[] }) {
  const drifts = runs.flatMap(({ nominalAt, firedAt, origin }) =>
    nominalAt === null || firedAt === null || origin !== 'schedule'
      ? []
      : [Math.max(0, Date.parse(firedAt) - Date.parse(nominalAt))],
  )
  if (drifts.length === 0) return null
  const bars = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound, index) => ({
    label: bound === Number.POSITIVE_INFINITY ? 'more' : `≤ ${durationText(bound).replace('.0', '')}`,
    count: drifts.filter((ms) => ms <= bound && ms > (BOUNDS[index - 1] ?? -1)).length,
  }))
  const most = Math.max(...bars.map(({ count }) => count))
  return (
    <Card title="Drift" aside={<span className="small muted">From due to fired, latest {drifts.length}</span>}>
      <dl className={classes.drift} data-testid="drift">
        {bars.map(({ label, count }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <i style={{ width: `${(count / most) * 100}%` }} aria-hidden />
              <span className="num">{count}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
