import { hashJson } from '@lockstep/base'
import type { StepKey, Wait } from '../journal/fact.ts'
import type { NewBookmark } from '../store/commit-store.ts'

/** What stands outside for a wait: a bookmark for events, signals, workers and people, nothing for timers and children. */
export function bookmarksFor(step: StepKey, wait: Wait, newId: () => string): NewBookmark[] {
  if (wait.kind === 'task' || wait.kind === 'human') {
    const { kind, id, name } = wait
    const hash = hashJson([kind, id])
    return [{ id, step, kind, name, correlationId: undefined, hash, tokenHash: undefined, expiresInMs: undefined }]
  }
  if (wait.kind !== 'event' && wait.kind !== 'signal') return []
  const { kind, name } = wait
  const correlationId = wait.kind === 'event' ? wait.correlationId : undefined
  const hash = hashJson([kind, name, correlationId ?? null, step])
  return [{ id: newId(), step, kind, name, correlationId, hash, tokenHash: undefined, expiresInMs: undefined }]
}
