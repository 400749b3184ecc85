import { useState } from 'react'
import type { Lock } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'
import classes from './locks.module.css'

/**
 * What is left of a lease, counted down by the server's clock; it jumps back when the lease is renewed. Stores know when a lease ends and
 * not how long it was granted for: the bar is measured by the most that was seen to be left of this grant.
 */
export function Ttl({ lock }: { readonly lock: Lock }) {
  const now = useNow()
  const left = lock.expiresAt === null ? 0 : Math.max(0, Date.parse(lock.expiresAt) - now)
  const [seen, setSeen] = useState({ fence: lock.fence, most: left })
  const most = seen.fence === lock.fence ? Math.max(seen.most, left) : left
  if (seen.fence !== lock.fence || seen.most < most) setSeen({ fence: lock.fence, most })
  if (lock.expiresAt === null) return <span className="muted">with its node</span>
  return (
    <span className={classes.ttl} title={lock.expiresAt}>
      <span className={classes.bar} aria-hidden>
        <i style={{ width: `${(left / Math.max(1, most)) * 100}%` }} />
      </span>
      <span className="num small">{Math.ceil(left / 1_000)} s</span>
    </span>
  )
}
