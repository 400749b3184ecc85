import type { Lock } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'
import classes from './locks.module.css'

/** What is left of a lease, counted down by the server's clock; it jumps back when the lease is renewed. */
export function Ttl({ lock }: { readonly lock: Lock }) {
  const now = useNow()
  if (lock.expiresAt === null) return <span className="muted">with its node</span>
  const until = Date.parse(lock.expiresAt)
  const from = lock.acquiredAt === null ? until : Date.parse(lock.acquiredAt)
  const left = Math.max(0, until - now)
  const whole = Math.max(1, Math.min(until - from, 30_000))
  return (
    <span className={classes.ttl} title={lock.expiresAt}>
      <span className={classes.bar} aria-hidden>
        <i style={{ width: `${Math.min(100, (left / whole) * 100)}%` }} />
      </span>
      <span className="num small">{Math.ceil(left / 1_000)} s</span>
    </span>
  )
}
