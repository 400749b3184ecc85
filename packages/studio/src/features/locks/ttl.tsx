import type { Lock } from '../../api/wire.ts'
import classes from './locks.module.css'
import { useLease } from './use-lease.ts'

/** What is left of a lease, counted down; it jumps back when the lease is renewed. */
export function Ttl({ lock }: { readonly lock: Lock }) {
  const { left, most } = useLease(lock)
  if (lock.expiresAt === null)
    return <span className="muted">{lock.kind === 'instance' ? 'with its node' : 'never'}</span>
  return (
    <span className={classes.ttl} title={lock.expiresAt}>
      <span className={classes.bar} aria-hidden>
        <i style={{ width: `${(left / Math.max(1, most)) * 100}%` }} />
      </span>
      <span className="num small">{Math.ceil(left / 1_000)} s</span>
    </span>
  )
}
