import type { IncidentHistogram } from '../../api/wire.ts'
import { arrivals, arrivalsText, spanText } from './arrivals.ts'
import classes from './incidents.module.css'

/** When they came, at a glance. */
export function ArrivalsStrip({ histogram }: { readonly histogram: IncidentHistogram }) {
  const text = arrivalsText(histogram)
  return (
    <figure className={classes.arrivals} data-testid="incident-arrivals">
      <span className={classes.bars} role="img" aria-label={text} title={text}>
        {arrivals(histogram).map(({ from, count, share }) => (
          <i key={from} data-zero={count === 0} style={{ height: `${count === 0 ? 6 : Math.max(18, share * 100)}%` }} />
        ))}
      </span>
      <figcaption className="muted">{spanText(histogram)}</figcaption>
    </figure>
  )
}
