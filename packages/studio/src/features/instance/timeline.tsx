import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { Activity } from '../../api/wire.ts'
import { looks } from '../../ui/status.tsx'
import { durationText } from '../../ui/time-text.ts'
import type { Execution, SegmentKind } from './executions.ts'
import classes from './timeline.module.css'

const ROW = 30

const words: Readonly<Record<SegmentKind, string>> = {
  running: 'running',
  lock: 'waits for a lock',
  suspended: 'suspended',
  backoff: 'back-off before a retry',
  open: 'open',
}

interface TimelineProps {
  readonly executions: readonly Execution[]
  readonly activities: ReadonlyMap<string, Activity> | undefined
  readonly selected: string | undefined
  readonly select: (step: string) => void
  readonly start: number
  readonly end: number
  /** There are older facts than these were made of. */
  readonly partial: boolean
}

/** Bars of what each step did with its time. */
export function Timeline({ executions, activities, selected, select, start, end, partial }: TimelineProps) {
  const box = useRef<HTMLDivElement>(null)
  const from = partial ? Math.min(...executions.map(({ begunAt }) => begunAt), end) : start
  const span = Math.max(1, end - from)
  const place = (at: number): number => Math.max(0, Math.min(100, ((at - from) / span) * 100))
  const rows = useVirtualizer({
    count: executions.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  })
  const kinds = new Set(executions.flatMap(({ segments }) => segments.map(({ kind }) => kind)))
  if (executions.length === 0) return <p className={classes.none}>No step has done anything yet.</p>
  return (
    <div className={classes.timeline} data-testid="timeline">
      <div className={classes.legend}>
        {(Object.keys(words) as SegmentKind[])
          .filter((kind) => kind !== 'open' && kinds.has(kind))
          .map((kind) => (
            <span key={kind} className="small muted">
              <i data-kind={kind} className={classes.swatch} aria-hidden /> {words[kind]}
            </span>
          ))}
        {executions.some(({ status }) => status === 'faulted') && (
          <span className="small muted">
            <i data-kind="running" data-failed="true" className={classes.swatch} aria-hidden /> failed
          </span>
        )}
        {partial && <span className="small muted">Older steps are left out: the journal has them all.</span>}
        <span className="num small muted" style={{ marginLeft: 'auto' }}>
          {durationText(span)} in all
        </span>
      </div>
      <div ref={box} className={classes.rows}>
        <ul aria-label="Steps in time" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start: top }) => {
            const run = executions[index]!
            const name = activities?.get(run.activity)?.name ?? run.activity
            const took = durationText((run.endedAt ?? end) - run.begunAt)
            const Icon = looks[run.status].icon
            return (
              <li
                key={run.key}
                className={classes.row}
                data-selected={selected === run.key || selected === run.activity}
                style={{ transform: `translateY(${top}px)`, height: ROW }}
              >
                <button type="button" onClick={() => select(run.key)}>
                  <span className={classes.name} title={run.key}>
                    <Icon size={13} aria-hidden style={{ color: `var(--${looks[run.status].tone})`, flex: 'none' }} />
                    <span className="clip">{name}</span>
                    <span className="visually-hidden">{looks[run.status].label}</span>
                    {run.key !== run.activity && <span className="clip small muted mono">{run.key}</span>}
                  </span>
                  <span className={classes.track}>
                    {run.segments.map((part) => (
                      <i
                        key={`${part.kind}${part.from}`}
                        data-kind={part.kind}
                        data-failed={run.status === 'faulted' && part === run.segments.at(-1)}
                        title={`${words[part.kind]}, ${durationText((part.to ?? end) - part.from)}`}
                        style={{
                          left: `${place(part.from)}%`,
                          width: `max(3px, ${place(part.to ?? end) - place(part.from)}%)`,
                        }}
                      />
                    ))}
                    {run.segments.length === 0 && (
                      <i data-kind="running" style={{ left: `${place(run.begunAt)}%`, width: 3 }} />
                    )}
                  </span>
                  <span className={`${classes.took} num small muted`}>{took}</span>
                </button>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}
