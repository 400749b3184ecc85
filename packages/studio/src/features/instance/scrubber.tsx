import { ActionIcon, Button, NativeSelect, Tooltip } from '@mantine/core'
import { ChevronLeft, ChevronRight, GitFork, History, Pause, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FactRow, Instance } from '../../api/wire.ts'
import { listenKeys } from '../../app/keys.ts'
import { every } from '../../browser/time.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import classes from './instance.module.css'

const PLAY_MS = 700
/** As often as the usual pace, at most. */
const MOST_MOVES = 5
const SPEEDS = ['1', '5', '20', '50']

interface ScrubberProps {
  readonly instance: Instance
  /** Absent: the present. */
  readonly at: number | undefined
  readonly factAt: FactRow | undefined
  readonly go: (at: number | undefined) => void
  /** Of its input. */
  readonly schema: unknown
}

/** Leads through the facts of an instance: graph, variables and journal show what was then. Keys: [ and ]. */
export function Scrubber({ instance, at, factAt, go, schema }: ScrubberProps) {
  const last = instance.revision
  const place = at ?? last
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState('1')
  const step = (by: number): void => {
    const to = Math.max(1, Math.min(last, place + by))
    go(to >= last ? undefined : to)
  }
  const moves = useRef({ step, place, last })
  moves.current = { step, place, last }
  useEffect(
    () => listenKeys({ go: {}, keys: { '[': () => moves.current.step(-1), ']': () => moves.current.step(1) } }),
    [],
  )
  useEffect(() => {
    if (!playing) return
    // Faster than the eye follows, it leaps: every move asks the server.
    const leap = Math.ceil(Number(speed) / MOST_MOVES)
    return every((PLAY_MS * leap) / Number(speed), () => {
      const now = moves.current
      now.step(leap)
      if (now.place + leap >= now.last) setPlaying(false)
    })
  }, [playing, speed])
  return (
    <section className={classes.scrubber} data-past={at !== undefined} aria-label="Time travel" data-testid="scrubber">
      <History size={15} aria-hidden />
      <IconButton
        label="One fact back ([)"
        disabled={place <= 1}
        onClick={() => step(-1)}
        icon={<ChevronLeft size={16} />}
      />
      <IconButton
        label={playing ? 'Stop' : at === undefined ? 'Play from the beginning' : 'Play from here'}
        disabled={last < 2}
        onClick={() => {
          if (!playing && at === undefined) go(1)
          setPlaying(!playing)
        }}
        icon={playing ? <Pause size={13} fill="currentColor" strokeWidth={1} /> : <Play size={14} />}
      />
      <IconButton
        label="One fact on (])"
        disabled={at === undefined}
        onClick={() => step(1)}
        icon={<ChevronRight size={16} />}
      />
      <NativeSelect
        size="xs"
        w={64}
        aria-label="Speed"
        data={SPEEDS.map((value) => ({ value, label: `${value}×` }))}
        value={speed}
        onChange={(event) => setSpeed(event.currentTarget.value)}
      />
      <input
        type="range"
        min={1}
        max={Math.max(1, last)}
        value={place}
        aria-label="Position in the journal"
        aria-valuetext={`Fact ${place} of ${last}`}
        onChange={(event) => {
          setPlaying(false)
          const to = Number(event.currentTarget.value)
          go(to >= last ? undefined : to)
        }}
      />
      <span className={`${classes.place} num small`} data-testid="scrubber-place">
        {at === undefined
          ? `Fact ${last.toLocaleString('en')}, the newest`
          : `Fact ${at.toLocaleString('en')} of ${last.toLocaleString('en')}${factAt === undefined ? '' : ` · ${factAt.kind} · ${factAt.at.slice(11, 23)}`}`}
      </span>
      {at !== undefined && <ForkButton instance={instance} schema={schema} at={at} />}
      {at !== undefined && (
        <Button size="compact-xs" variant="filled" onClick={() => go(undefined)}>
          Back to now
        </Button>
      )}
    </section>
  )
}

function IconButton(props: {
  readonly label: string
  readonly disabled: boolean
  readonly icon: React.ReactNode
  readonly onClick: () => void
}) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={props.label}
        disabled={props.disabled}
        onClick={props.onClick}
      >
        {props.icon}
      </ActionIcon>
    </Tooltip>
  )
}

function ForkButton({ instance, schema, at }: Pick<ScrubberProps, 'instance' | 'schema'> & { readonly at: number }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <MayButton
        size="compact-xs"
        variant="default"
        permission="instances:operate"
        leftSection={<GitFork size={13} />}
        onClick={() => setOpen(true)}
      >
        Fork from here…
      </MayButton>
      {open && <ForkDialog instance={instance} schema={schema} at={at} close={() => setOpen(false)} />}
    </>
  )
}
