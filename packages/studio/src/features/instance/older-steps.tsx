import { Button } from '@mantine/core'
import { MOST_DRAWN, STRETCH } from '../../api/journal-pages.ts'
import classes from './timeline.module.css'

interface OlderStepsProps {
  /** Facts that are drawn, of so many. */
  readonly drawn: number
  readonly total: number
  readonly reading: boolean
  /** The journal was drawn back as far as it is. */
  readonly full: boolean
  readonly more: (count: number) => void
}

/** Says how much of a long journal is drawn, and draws more of it. */
export function OlderSteps({ drawn, total, reading, full, more }: OlderStepsProps) {
  const count = (value: number): string => value.toLocaleString('en')
  return (
    <span className={classes.older} data-testid="timeline-older">
      <span className="small muted" role="status">
        {reading ? 'Reading: ' : 'Drawn: '}the last {count(drawn)} of {count(total)} facts
        {full && '. Older ones stand in the journal'}
      </span>
      {!full && (
        <>
          <Button size="compact-xs" variant="default" disabled={reading} onClick={() => more(STRETCH)}>
            {count(STRETCH)} more
          </Button>
          <Button size="compact-xs" variant="default" disabled={reading} onClick={() => more(MOST_DRAWN)}>
            {total <= MOST_DRAWN ? 'All' : `As many as ${count(MOST_DRAWN)}`}
          </Button>
        </>
      )}
    </span>
  )
}
