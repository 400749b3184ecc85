import { useState } from 'react'
import type { Lock } from '../../api/wire.ts'
import { useNow } from '../../ui/now.ts'

/**
 * What is left of a lease, by the server's clock. Stores know when a lease ends and not how long it was granted for: `most` is the most that was
 * seen to be left of this grant.
 */
export function useLease({ expiresAt, fence }: Lock): {
  readonly now: number
  readonly left: number
  readonly most: number
} {
  const now = useNow()
  const left = expiresAt === null ? 0 : Math.max(0, Date.parse(expiresAt) - now)
  const [seen, setSeen] = useState({ fence, most: left })
  const most = seen.fence === fence ? Math.max(seen.most, left) : left
  if (seen.fence !== fence || seen.most < most) setSeen({ fence, most })
  return { now, left, most }
}
