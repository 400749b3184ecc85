import type { InstanceStanding } from '../store/maintenance-store.ts'
import type { OpenWait } from './open-waits.ts'
import type { WaitsFor } from './why.ts'

/** A timer that should have fired before the next due time of its instance is one that a container took with it. */
const STALE_MARGIN_MS = 1_000

const DOERS: Readonly<Record<string, { readonly by: 'worker' | 'person' }>> = {
  task: { by: 'worker' },
  human: { by: 'person' },
}

/** What the store says it waits for, with what the journal adds: attempts, time-outs, the moment since when. */
export function waitsFor(standing: InstanceStanding, open: ReadonlyMap<string, OpenWait>): WaitsFor[] {
  const outside = standing.bookmarks.map((bookmark): WaitsFor => {
    const { step, name, correlationId, createdAt: since, id: bookmarkId } = bookmark
    const expiresAt = bookmark.expiresAt ?? timeoutAt(open.get(step))
    return bookmark.kind === 'event'
      ? { kind: 'event', step, since, name, correlationId, bookmarkId, expiresAt }
      : { kind: 'signal', step, since, name, bookmarkId, expiresAt, ...DOERS[bookmark.kind] }
  })
  const children = standing.children.map((child): WaitsFor => {
    const { step, instanceId, definitionId, status } = child
    const since = open.get(step)?.at ?? child.createdAt
    return {
      kind: 'child',
      step,
      since,
      instanceId,
      definitionId,
      status,
      expiresAt: timeoutAt(open.get(step)),
      why: undefined,
    }
  })
  const earliest = (standing.agenda?.dueAt ?? standing.now) - STALE_MARGIN_MS
  const timed = [...open].flatMap(([step, wait]) => timeWait(step, wait)).filter(({ dueAt }) => dueAt >= earliest)
  return [...outside, ...children, ...(standing.agenda === undefined ? [] : timed)]
}

function timeWait(step: string, { fact, at: since }: OpenWait): (WaitsFor & { readonly dueAt: number })[] {
  if (fact.kind === 'retrying') {
    const { attempt, delayMs, error } = fact
    return [{ kind: 'retry', step, since, attempt, dueAt: since + delayMs, error: `${error.code}: ${error.message}` }]
  }
  if (fact.wait.kind !== 'timer') return []
  return [{ kind: 'timer', step, since, dueAt: 'at' in fact.wait ? fact.wait.at : since + fact.wait.ms }]
}

function timeoutAt(wait: OpenWait | undefined): number | undefined {
  if (wait?.fact.kind !== 'waiting' || wait.fact.wait.kind === 'timer') return undefined
  const { timeoutMs } = wait.fact.wait
  return timeoutMs === undefined ? undefined : wait.at + timeoutMs
}
