import type { Lock } from '../../api/wire.ts'

/** How a lock stands, in a word. */
export function lockFlag({ state, kind, waiters, waitingInstances }: Lock): {
  readonly label: string
  readonly tone: string
} {
  if (state === 'stale') return { label: 'Stale', tone: 'faulted' }
  if (state === 'free') return { label: 'Free', tone: 'queued' }
  if (waiters + waitingInstances > 0) return { label: 'Contended', tone: 'retrying' }
  return kind === 'instance' ? { label: 'In hand', tone: 'running' } : { label: 'Held', tone: 'completed' }
}
