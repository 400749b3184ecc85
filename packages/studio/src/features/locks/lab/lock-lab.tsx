import { Switch } from '@mantine/core'
import { FlaskConical, Play, Square } from 'lucide-react'
import { useState } from 'react'
import { randomId } from '../../../browser/random-id.ts'
import { Empty, ProblemCard } from '../../../ui/area.tsx'
import { MayButton } from '../../../ui/may-button.tsx'
import { Card } from '../../../ui/page.tsx'
import { durationText } from '../../../ui/time-text.ts'
import classes from './lab.module.css'
import { LabLanes, LabScale } from './lab-lanes.tsx'
import { type LabState, workerNames } from './lab-model.ts'
import { moveText, refusedText } from './lab-words.ts'
import { useRace } from './use-race.ts'

const SHOWN_MOVES = 8
const legend = [
  ['waiting', 'waits'],
  ['holding', 'holds the lock; the figure is its fence'],
  ['sleeping', 'sleeps, renews nothing'],
  ['late', 'works on without its lease'],
] as const

/** Workers in this browser race for a lock of the server: what is granted, renewed, lost and refused is real. */
export function LockLab({ tracks }: { readonly tracks: number }) {
  const [count, setCount] = useState(3)
  const [ttlMs, setTtlMs] = useState(2_000)
  const [workMs, setWorkMs] = useState(3_000)
  const [renew, setRenew] = useState(true)
  // Two people who try it at once are rarely on one track, and harm nothing when they are.
  const [track] = useState(() => 1 + (Number.parseInt(randomId().slice(0, 6), 16) % Math.max(1, tracks)))
  const race = useRace({ ttlMs, workMs, renew })
  const workers = workerNames.slice(0, count)
  const isRisky = !renew && workMs > ttlMs
  return (
    <Card title="Lock lab">
      <div className={classes.lab} data-testid="lock-lab" data-on={race.isOn}>
        <p className="muted">
          Workers race for the lock <span className="mono">lab/race-{track}</span>. Each writes when it gets the lock
          and when its work is done, and names its fence; what the lock protects refuses a fence that is older than one
          it has seen. Let a holder crash, or switch renewal off and let the work take longer than the lease lives.
        </p>
        <div className={classes.controls}>
          <Range
            label="Workers"
            value={count}
            text={String(count)}
            min={2}
            max={5}
            step={1}
            change={setCount}
            fault={race.isOn}
          />
          <Range
            label="Time to live"
            value={ttlMs}
            text={durationText(ttlMs)}
            min={500}
            max={6_000}
            step={250}
            change={setTtlMs}
          />
          <Range
            label="Work takes"
            value={workMs}
            text={durationText(workMs)}
            min={500}
            max={8_000}
            step={250}
            change={setWorkMs}
          />
          <Switch
            label="Renew leases"
            description={isRisky ? 'Work outlives its lease' : undefined}
            checked={renew}
            onChange={(event) => setRenew(event.currentTarget.checked)}
          />
          {race.isOn ? (
            <MayButton size="xs" variant="default" leftSection={<Square size={13} />} onClick={race.stop}>
              Stop
            </MayButton>
          ) : (
            <MayButton
              size="xs"
              permission="locks:release"
              leftSection={<Play size={13} />}
              onClick={() => race.start(track, workers)}
            >
              Start the race
            </MayButton>
          )}
        </div>
        {race.problem !== undefined && <ProblemCard name="lab" error={race.problem} />}
        {race.now === 0 && race.state.log.length === 0 && !race.isOn ? (
          <div data-testid="lab-empty">
            <Empty icon={<FlaskConical size={22} />} title="Nobody races yet">
              A race lasts a minute at most. Its lock is listed under Locks by key meanwhile.
            </Empty>
          </div>
        ) : (
          <div className={classes.picture} data-testid="lab-ready">
            <LabLanes state={race.state} workers={workers} now={race.now} crash={race.crash} />
            <LabScale now={race.now} />
            <Legend />
            <Figures state={race.state} />
            <Moves state={race.state} />
          </div>
        )}
      </div>
    </Card>
  )
}

interface RangeProps {
  readonly label: string
  readonly value: number
  readonly text: string
  readonly min: number
  readonly max: number
  readonly step: number
  /** Not while a race goes on. */
  readonly fault?: boolean
  readonly change: (to: number) => void
}

const Range = ({ label, value, text, min, max, step, fault = false, change }: RangeProps) => (
  <label className={classes.range}>
    <span>
      {label} <strong className="num">{text}</strong>
    </span>
    <input
      type="range"
      {...{ value, min, max, step }}
      aria-label={label}
      aria-valuetext={text}
      disabled={fault}
      title={fault ? 'Stop the race first' : undefined}
      onChange={(event) => change(Number(event.currentTarget.value))}
    />
  </label>
)

const Legend = () => (
  <ul className={`${classes.legend} small muted`}>
    {legend.map(([kind, text]) => (
      <li key={kind}>
        <i data-kind={kind} aria-hidden /> {text}
      </li>
    ))}
    <li>✓ a write was taken</li>
    <li>✕ a write was refused</li>
  </ul>
)

function Figures({ state: { granted, written, refused } }: { readonly state: LabState }) {
  return (
    <p className={classes.figures} role="status" data-testid="lab-refused" data-refused={refused}>
      <span className="num">
        {granted} {granted === 1 ? 'grant' : 'grants'}, {written} {written === 1 ? 'write' : 'writes'} taken.
      </span>{' '}
      <strong>{refusedText(refused)}.</strong>
    </p>
  )
}

/** The newest first. */
function Moves({ state: { log } }: { readonly state: LabState }) {
  return (
    <ol className={classes.moves} data-testid="lab-moves" aria-label="What happened, newest first">
      {log.slice(0, SHOWN_MOVES).map((move) => (
        <li key={`${move.at} ${move.worker} ${move.kind}`} data-kind={move.kind}>
          <span className="num muted">{(move.at / 1_000).toFixed(1)} s</span> {moveText(move)}
        </li>
      ))}
    </ol>
  )
}
