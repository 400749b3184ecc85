import { Tooltip } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { hostNow } from '../browser/time.ts'
import { useLive } from '../live/live-state.ts'
import { useNow } from '../ui/now.ts'
import { durationText } from '../ui/time-text.ts'
import classes from './live-switch.module.css'

/** Whether pages move by themselves, and whether the server is heard. Key: a full stop. */
export function LiveSwitch() {
  const { mode, paused, heardAt, why, setPaused } = useLive()
  useNow()
  const state = paused ? 'paused' : mode
  const texts = {
    paused: ['Paused', 'Pages stand still. Go live (.)'],
    connecting: ['Connecting', 'Opening the live stream. Meanwhile pages ask the server every few seconds.'],
    stream: ['Live', 'The server tells what happens. Pause (.)'],
    polling: [
      'Polling',
      `${why ?? 'There is no live stream.'} Pages ask the server every few seconds instead. Pause (.)`,
    ],
    stale: [
      'Reconnecting',
      heardAt === undefined
        ? 'The server does not answer. What you see may be old.'
        : `Last update ${durationText(hostNow() - heardAt)} ago. What you see may be old.`,
    ],
  } as const
  const [label, hint] = texts[state]
  return (
    <Tooltip label={hint} multiline maw={340}>
      <button
        type="button"
        className={classes.switch}
        data-mode={state}
        data-testid="live-switch"
        aria-pressed={!paused}
        aria-label={`${label}: ${paused ? 'go live' : 'pause'}`}
        aria-description={hint}
        onClick={() => setPaused(!paused)}
      >
        <i aria-hidden />
        <span role="status">{label}</span>
        {paused ? <Play size={13} aria-hidden /> : <Pause size={12} fill="currentColor" strokeWidth={1} aria-hidden />}
      </button>
    </Tooltip>
  )
}
