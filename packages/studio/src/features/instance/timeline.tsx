import { ActionIcon, Switch, Tooltip } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ZoomIn, ZoomOut } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { Activity } from '../../api/wire.ts'
import { looks } from '../../ui/status.tsx'
import { durationText } from '../../ui/time-text.ts'
import type { Execution, SegmentKind } from './executions.ts'
import { idleFolds, type TimeScale, timeScale } from './time-scale.ts'
import classes from './timeline.module.css'

const ROW = 30
const zooms = [1, 2, 4, 8, 16, 32]
/** Where time goes on, this much of the width is past. */
const PRESENT = 97

const words: Readonly<Record<SegmentKind, string>> = {
  queued: 'queued, up to its first fact',
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
  /** Its end is the present, and moves. */
  readonly live: boolean
  /** There are older facts than these were made of. */
  readonly partial: boolean
  readonly older?: React.ReactNode
}

/** Bars of what each step did with its time. */
export function Timeline(props: TimelineProps) {
  const { executions, activities, selected, select, start, end, live, partial, older } = props
  const box = useRef<HTMLDivElement>(null)
  const [folding, fold] = useState(true)
  const [zoom, setZoom] = useState(1)
  const from = partial ? executions.reduce((first, { begunAt }) => Math.min(first, begunAt), end) : start
  const folds = useMemo(() => idleFolds(executions, from, end), [executions, from, end])
  const scale = timeScale(from, end, folding ? folds : [], live ? PRESENT : 100)
  const rows = useVirtualizer({
    count: executions.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  })
  const kinds = new Set(executions.flatMap(({ segments }) => segments.map(({ kind }) => kind)))
  if (executions.length === 0)
    return (
      <div className={classes.none}>
        <p>{partial ? 'No step did anything in these facts.' : 'No step has done anything yet.'}</p>
        {older}
      </div>
    )
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
        {older}
        <span className={classes.tools}>
          <span className="num small muted">{durationText(Math.max(1, end - from))} in all</span>
          {folds.length > 0 && (
            <Switch
              size="xs"
              label="Fold idle time"
              checked={folding}
              onChange={(event) => fold(event.currentTarget.checked)}
            />
          )}
          <Zoom zoom={zoom} setZoom={setZoom} />
        </span>
      </div>
      <div ref={box} className={classes.rows}>
        <Axis scale={scale} from={from} live={live ? end : undefined} zoom={zoom} />
        <ul
          aria-label="Steps in time"
          style={{ height: rows.getTotalSize(), width: `${zoom * 100}%` }}
          data-zoom={zoom}
        >
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
                  <Track run={run} end={end} scale={scale} live={live} />
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

function Track(props: {
  readonly run: Execution
  readonly end: number
  readonly scale: TimeScale
  readonly live: boolean
}) {
  const { run, end, scale, live } = props
  const { place, folds } = scale
  return (
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
      {run.segments.length === 0 && <i data-kind="running" style={{ left: `${place(run.begunAt)}%`, width: 3 }} />}
      {folds.map((each) => (
        <i
          key={each.from}
          data-kind="fold"
          title={`${durationText(each.to - each.from)} in which no step ran`}
          style={{ left: `${place(each.from)}%`, width: `${place(each.to) - place(each.from)}%` }}
        />
      ))}
      {live && <i data-kind="now" style={{ left: `${place(end)}%` }} />}
    </span>
  )
}

/** Times since the beginning, how long the folds are, and where now is. */
function Axis(props: {
  readonly scale: TimeScale
  readonly from: number
  readonly live: number | undefined
  readonly zoom: number
}) {
  const { place, momentAt, folds } = props.scale
  const count = 4 * props.zoom
  const ticks = Array.from({ length: count }, (_, index) => (index * 100) / count)
  const clear = ticks.filter((left) =>
    folds.every(({ from, to }) => Math.abs(left - (place(from) + place(to)) / 2) > 40 / count),
  )
  return (
    <div className={classes.axis} style={{ width: `${props.zoom * 100}%` }} aria-hidden data-testid="timeline-axis">
      <span className={classes.name} />
      <span className={classes.ticks}>
        {clear.map((left) => (
          <span key={left} style={{ left: `${left}%` }}>
            {left === 0 ? '0' : `+${durationText(momentAt(left) - props.from)}`}
          </span>
        ))}
        {folds.map(({ from, to }) => (
          <span key={from} className={classes.folded} style={{ left: `${(place(from) + place(to)) / 2}%` }}>
            ⋯ {durationText(to - from)} ⋯
          </span>
        ))}
        {props.live !== undefined && (
          <span className={classes.now} data-testid="timeline-now" style={{ left: `${place(props.live)}%` }}>
            now
          </span>
        )}
      </span>
      <span />
    </div>
  )
}

function Zoom({ zoom, setZoom }: { readonly zoom: number; readonly setZoom: (zoom: number) => void }) {
  const at = zooms.indexOf(zoom)
  const button = (label: string, to: number | undefined, icon: React.ReactNode) => (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={26}
        aria-label={label}
        disabled={to === undefined}
        onClick={() => to !== undefined && setZoom(to)}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  )
  return (
    <>
      {button('Zoom out', zooms[at - 1], <ZoomOut size={15} />)}
      <span className="num small muted">{zoom}×</span>
      {button('Zoom in', zooms[at + 1], <ZoomIn size={15} />)}
    </>
  )
}
