import { Check, X } from 'lucide-react'
import { MayButton } from '../../../ui/may-button.tsx'
import classes from './lab.module.css'
import { type LabState, openSpan, percent, placeOf, type WorkerName, windowOf } from './lab-model.ts'
import { moveText, pictureText, shortFence, spanWords } from './lab-words.ts'

interface LanesProps {
  readonly state: LabState
  readonly workers: readonly WorkerName[]
  readonly now: number
  readonly crash: (worker: WorkerName) => void
}

/** The seconds of the race that the lanes show. */
export function LabScale({ now }: { readonly now: number }) {
  const { from, lengthMs } = windowOf(now)
  return (
    <div className={`${classes.scale} small muted num`} aria-hidden>
      <span>{seconds(from)}</span>
      <span>{seconds(from + lengthMs)}</span>
    </div>
  )
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0)} s`

/** A lane for each worker, time from left to right. */
export function LabLanes({ state, workers, now, crash }: LanesProps) {
  return (
    <ol className={classes.lanes} data-testid="lab-lanes" aria-label={`Workers. ${pictureText(state, workers)}.`}>
      {workers.map((worker) => {
        const span = openSpan(state.spans, worker)
        return (
          <li key={worker} data-testid="lab-lane" data-worker={worker} data-span={span?.kind ?? 'resting'}>
            <div className={classes.who}>
              <strong>Worker {worker}</strong>
              <span className="small muted">{span === undefined ? 'rests' : spanWords[span.kind]}</span>
            </div>
            <Lane state={state} worker={worker} now={now} />
            <MayButton
              size="compact-xs"
              variant="default"
              permission="locks:release"
              aria-label={`Crash worker ${worker}`}
              fault={span?.kind === 'holding' ? undefined : 'It does not hold the lock'}
              onClick={() => crash(worker)}
            >
              Crash
            </MayButton>
          </li>
        )
      })}
    </ol>
  )
}

/** What the words beside it and the log below say as well. */
function Lane({ state, worker, now }: Omit<LanesProps, 'workers' | 'crash'> & { readonly worker: WorkerName }) {
  const marks = state.marks.filter((mark) => mark.worker === worker && percent(mark.at, now) >= 0)
  return (
    <div className={classes.lane} aria-hidden>
      {state.spans
        .filter((span) => span.worker === worker)
        .map((span) => {
          const place = placeOf(span, now)
          if (place === undefined) return null
          const isHeld = span.fence !== undefined && span.kind !== 'waiting'
          return (
            <span
              key={`${span.kind} ${span.from}`}
              className={classes.span}
              data-kind={span.kind}
              title={spanWords[span.kind]}
              style={{ left: `${place.left}%`, width: `${place.width}%` }}
            >
              {isHeld && place.width > 7 ? shortFence(span.fence ?? '') : ''}
            </span>
          )
        })}
      {marks.map((mark) => (
        <span
          key={`${mark.kind} ${mark.at}`}
          className={classes.mark}
          data-kind={mark.kind}
          title={moveText(mark)}
          style={{ left: `${percent(mark.at, now)}%` }}
        >
          {mark.kind === 'written' && <Check size={12} />}
          {mark.kind === 'refused' && <X size={14} />}
        </span>
      ))}
    </div>
  )
}
