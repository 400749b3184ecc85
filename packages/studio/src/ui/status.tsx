import {
  Ban,
  Check,
  CircleDashed,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  OctagonX,
  Pause,
  RotateCw,
  ShieldAlert,
  Square,
  Undo2,
} from 'lucide-react'
import type { InstanceStatus } from '../api/wire.ts'
import classes from './status.module.css'

export type Look = InstanceStatus | 'retrying'

interface LookOf {
  readonly label: string
  readonly icon: LucideIcon
  /** Names the pair of colours in tokens.css. */
  readonly tone: string
}

/** Never colour alone: colour, icon and word. */
export const looks: Readonly<Record<Look, LookOf>> = {
  queued: { label: 'Queued', icon: CircleDashed, tone: 'queued' },
  running: { label: 'Running', icon: LoaderCircle, tone: 'running' },
  suspended: { label: 'Suspended', icon: Hourglass, tone: 'suspended' },
  paused: { label: 'Paused', icon: Pause, tone: 'paused' },
  compensating: { label: 'Compensating', icon: Undo2, tone: 'compensating' },
  retrying: { label: 'Retrying', icon: RotateCw, tone: 'retrying' },
  completed: { label: 'Completed', icon: Check, tone: 'completed' },
  faulted: { label: 'Faulted', icon: OctagonX, tone: 'faulted' },
  cancelled: { label: 'Cancelled', icon: Ban, tone: 'ended' },
  terminated: { label: 'Terminated', icon: Square, tone: 'ended' },
  quarantined: { label: 'Quarantined', icon: ShieldAlert, tone: 'faulted' },
}

export const toneStyle = (tone: string): React.CSSProperties => ({
  color: `var(--${tone})`,
  background: `var(--${tone}-tint)`,
})

export function StatusChip({ status, label }: { readonly status: Look; readonly label?: string }) {
  const look = looks[status]
  const Icon = look.icon
  return (
    <span className={classes.chip} style={toneStyle(look.tone)} data-status={status}>
      <Icon size={13} aria-hidden className={status === 'running' ? classes.spin : undefined} />
      {label ?? look.label}
    </span>
  )
}

export function ToneChip({ tone, children }: { readonly tone: string; readonly children: React.ReactNode }) {
  return (
    <span className={classes.chip} style={toneStyle(tone)}>
      {children}
    </span>
  )
}
