import type { Preview } from '../../api/wire.ts'
import { ToneChip } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import classes from './schedules.module.css'

/** Times as the wall of their zone shows them; what does not fire is struck out. */
export function PreviewLines({ items }: Preview) {
  return (
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
  )
}
