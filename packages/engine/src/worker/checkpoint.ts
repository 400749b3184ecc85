import type { Failure } from '../journal/fact.ts'
import { incident, placeOf } from '../step/incident.ts'
import type { CheckpointItem, Disposition, NewIncident } from '../store/commit-store.ts'
import type { Ended, InstanceIdentity, Posture } from './execution.ts'
import type { PendingChange } from './pending-change.ts'

/** Where an instance stands in the store, as far as its owner knows. */
export interface Standing {
  readonly claimNo: number
  stim: number
  crashes: number
  /** Number of the last committed fact. */
  seq: number
}

export function checkpointItem(
  identity: InstanceIdentity,
  standing: Standing,
  change: PendingChange,
  posture: Posture,
  then: Disposition,
  snapshot: string | undefined,
): CheckpointItem {
  return {
    tenant: identity.tenant,
    instanceId: identity.instanceId,
    claimNo: standing.claimNo,
    seq: standing.seq + 1,
    facts: change.facts,
    then,
    stim: standing.stim,
    opens: change.opens,
    closes: change.closes,
    consumes: change.consumes,
    publishes: change.publishes,
    incidents: change.incidents,
    snapshot,
    correlationId: change.correlationId,
    survived: standing.crashes > 1 && change.facts.length > 0 && then.kind === 'hold',
    parent: posture.kind === 'ended' ? parentMessage(identity, posture) : undefined,
  }
}

/** What becomes of the claim of an instance that waits; a number: it stays in hand for so many milliseconds. */
export function restOf(
  { dueAt, dueInMs, status = 'suspended' }: Posture & { readonly kind: 'waiting' },
  now: number,
  holdMs: number,
): Disposition | number {
  const inMs = Math.min(
    dueAt === undefined ? Number.POSITIVE_INFINITY : dueAt - now,
    dueInMs ?? Number.POSITIVE_INFINITY,
  )
  return inMs <= holdMs ? inMs : { kind: 'suspend', dueAt, dueInMs, status }
}

/** Makes the end part of what is written: its fact, the bookmarks it closes, and an incident where it is a failure. */
export function addEnd(
  change: PendingChange,
  { status, output, error }: Ended,
  openBookmarks: Iterable<string>,
  incidentOf: (error: Failure) => NewIncident,
): void {
  change.addFact({
    kind: 'ended',
    status,
    ...(status === 'completed' ? { output } : {}),
    ...(error === undefined ? {} : { error }),
  })
  change.closes = []
  change.close(openBookmarks)
  if (status === 'faulted' && error !== undefined) change.incidents.push(incidentOf(error))
}

/** The end is decided anew once the inbox was read; what led to it stays. */
export function withdrawEnd(change: PendingChange, { status, error }: Ended): void {
  change.facts.pop()
  change.closes = []
  if (status === 'faulted' && error !== undefined) change.incidents.pop()
}

export function incidentOf(identity: InstanceIdentity, id: string, error: Failure): NewIncident {
  return incident(id, identity.definitionId, placeOf(error.step ?? ''), error)
}

/** What the parent is told; `undefined`: nobody waits for it. */
function parentMessage(identity: InstanceIdentity, end: Ended): CheckpointItem['parent'] {
  const { instanceId: child, parentId, parentStep } = identity
  if (parentId === undefined || parentStep === undefined) return undefined
  const { status, output, error } = end
  const payload = JSON.stringify({ status, output, error: error ?? null, child })
  return { instanceId: parentId, step: parentStep, payload }
}

/** Somebody else has written the next fact of the journal: ownership was lost, however it looked. */
export function isConflict(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('details' in error)) return false
  const { details } = error
  return (
    typeof details === 'object' && details !== null && 'constraint' in details && details.constraint === 'journal_pkey'
  )
}
