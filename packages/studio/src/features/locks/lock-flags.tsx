import type { Lock } from '../../api/wire.ts'
import { ToneChip } from '../../ui/status.tsx'
import { lockFlags } from './lock-flag.ts'
import classes from './locks.module.css'
import { useLease } from './use-lease.ts'

export function LockFlags({ lock }: { readonly lock: Lock }) {
  const { now, most } = useLease(lock)
  return (
    <span className={classes.flags}>
      {lockFlags(lock, { now, most }).map(({ label, tone, means }) => (
        <span key={label} title={means}>
          <ToneChip tone={tone}>{label}</ToneChip>
        </span>
      ))}
    </span>
  )
}
