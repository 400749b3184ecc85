import type { Lock } from '../../api/wire.ts'

export interface Flag {
  readonly label: string
  readonly tone: string
  /** What it means, for whoever asks. */
  readonly means: string
}

/** A lease that is renewed is never this empty. */
const NEAR = 0.25

interface Seen {
  readonly now: number
  /** The most that was seen to be left of this lease; undefined: it was not watched. */
  readonly most?: number | undefined
}

/** How a lock stands, in a word, and what is odd about it. */
export function lockFlags(lock: Lock, { now, most }: Seen): readonly Flag[] {
  const { kind, state, expiresAt, holder } = lock
  const flags = [standing(lock)]
  if (kind === 'instance' || state !== 'held') return flags
  if (expiresAt === null) flags.push({ label: 'No expiry', tone: 'faulted', means: 'It is never let go by itself' })
  else if (most !== undefined && (Date.parse(expiresAt) - now) / Math.max(1, most) < NEAR)
    flags.push({ label: 'Near expiry', tone: 'retrying', means: 'Its holder has not renewed it for a while' })
  if (holder !== null && holder.nodeId === null && holder.name === null)
    flags.push({ label: 'Orphan', tone: 'retrying', means: 'Who holds it cannot be read' })
  return flags
}

function standing({ state, kind, waiters, waitingInstances }: Lock): Flag {
  if (state === 'stale') return { label: 'Stale', tone: 'faulted', means: 'Its holder is gone, and nobody renews it' }
  if (state === 'free') return { label: 'Free', tone: 'queued', means: 'Nobody holds it' }
  if (waiters + waitingInstances > 0) return { label: 'Contended', tone: 'retrying', means: 'Held, and others wait' }
  return kind === 'instance'
    ? { label: 'In hand', tone: 'running', means: 'A node works on the instance' }
    : { label: 'Held', tone: 'completed', means: 'Held, and renewed by its holder' }
}
