import { Tooltip } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { hostNow } from '../browser/time.ts'
import { useLive } from '../live/live-state.ts'
import { useNow } from '../ui/now.ts'
import { durationText } from '../ui/time-text.ts'
import classes from './live-switch.module.css'

/** Whether pages move by themselves, and whether the server is heard. Key: a full stop. */
export function LiveSwitch() {
  const { mode, paused, heardAt, setPaused } = useLive()
  useNow()
  const state = paused ? 'paused' : mode
  const texts = {
    paused: ['Paused', 'Pages stand still. Go live (.)'],
    connecting: ['Connecting', 'Reaching the server'],
    stream: ['Live', 'The server tells what happens. Pause (.)'],
    polling: ['Live', 'Pages ask the server again every few seconds. Pause (.)'],
    stale: [
      'Reconnecting',
      heardAt === undefined
        ? 'The server does not answer. What you see may be old.'
        : `Last update ${durationText(hostNow() - heardAt)} ago. What you see may be old.`,
    ],
  } as const
  const [label, hint] = texts[state]
  return (
    <Tooltip label={hint}>
      <button
        type="button"
        className={classes.switch}
        data-mode={state}
        data-testid="live-switch"
        aria-pressed={!paused}
        aria-label={`${label}: ${paused ? 'go live' : 'pause'}`}
        onClick={() => setPaused(!paused)}
      >
        <i aria-hidden />
        <span role="status">{label}</span>
        {paused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
      </button>
    </Tooltip>
  )
}
