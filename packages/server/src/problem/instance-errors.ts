import { defineError } from '@lockstep/base'

interface ResumeDetails {
  /** On the wire's form. */
  readonly instanceId: string
  readonly bookmark: string | undefined
}

const named = (d: ResumeDetails): string => (d.bookmark === undefined ? 'The bookmark' : `Bookmark "${d.bookmark}"`)

export const AlreadyResumed = defineError(
  'ALREADY_RESUMED',
  { retryable: false },
  (d: ResumeDetails) => `${named(d)} of ${d.instanceId} was resumed already: each is consumed once`,
)

export const ResumeInProgress = defineError(
  'RESUME_IN_PROGRESS',
  { retryable: true },
  (d: ResumeDetails) => `${d.instanceId} is at work and has not opened ${d.bookmark ?? 'a bookmark'} yet: try again`,
)

export const BookmarkExpired = defineError(
  'BOOKMARK_EXPIRED',
  { retryable: false },
  (d: ResumeDetails) => `${named(d)} of ${d.instanceId} has expired`,
)

export const BookmarkNotFound = defineError(
  'BOOKMARK_NOT_FOUND',
  { retryable: false },
  (d: ResumeDetails) =>
    `${d.instanceId} does not wait for ${d.bookmark === undefined ? 'anything' : `"${d.bookmark}"`}, or does not exist: see waitingFor of the instance`,
)

export const InstanceEnded = defineError(
  'INSTANCE_ENDED',
  { retryable: false },
  (d: { instanceId: string; status: string }) =>
    `${d.instanceId} has ended as ${d.status}: nothing can be done to it any more`,
)

export const InstanceWrongState = defineError(
  'INSTANCE_WRONG_STATE',
  { retryable: false },
  (d: { instanceId: string; status: string; verb: string }) =>
    `${d.instanceId} is ${d.status}: it cannot ${d.verb} as it stands`,
)

export const InstanceNotEnded = defineError(
  'INSTANCE_NOT_ENDED',
  { retryable: false },
  (d: { instanceId: string; status: string }) =>
    `${d.instanceId} is ${d.status}: only what has ended can be deleted. Cancel or terminate it first`,
)

export const InstanceHeld = defineError(
  'INSTANCE_HELD',
  { retryable: false },
  (d: { instanceId: string; hold: string; reason: string | undefined }) =>
    `${d.instanceId} must not be deleted: there is a hold on ${d.hold}${d.reason === undefined ? '' : ` (${d.reason})`}. Release the hold first`,
)

export const ParentNotEnded = defineError(
  'PARENT_NOT_ENDED',
  { retryable: false },
  (d: { instanceId: string; parentId: string }) =>
    `${d.parentId}, which ran ${d.instanceId}, has not ended: it would run it once more. Delete it when that one has ended`,
)

export const InstanceUnsettled = defineError(
  'INSTANCE_UNSETTLED',
  { retryable: true },
  (d: { instanceId: string }) =>
    `The schedule of ${d.instanceId} has not taken note of its end yet: try again in a moment`,
)

export const InstanceUndone = defineError(
  'INSTANCE_UNDONE',
  { retryable: false },
  (d: { instanceId: string }) =>
    `What ${d.instanceId} did was undone, so there is nothing to go on from: start another one, or fork it from a fact before that`,
)

export const ParentTold = defineError(
  'PARENT_TOLD',
  { retryable: false },
  (d: { instanceId: string; parentId: string }) =>
    `${d.parentId}, which ran ${d.instanceId}, may have taken note of its end: retry that one, or send "force": true`,
)

export const StepNotFound = defineError(
  'STEP_NOT_FOUND',
  { retryable: false },
  (d: { instanceId: string; step: string; steps: readonly string[] }) =>
    `${d.instanceId} never began a step "${d.step}": it has ${d.steps.slice(0, 10).join(', ')}`,
)

export const MigrationImpossible = defineError(
  'MIGRATION_IMPOSSIBLE',
  { retryable: false },
  (d: { instanceId: string; problems: readonly { readonly at: string; readonly text: string }[] }) =>
    `${d.instanceId} cannot go on as that version: ${d.problems
      .slice(0, 3)
      .map(({ at, text }) => `${at} ${text}`)
      .join('; ')}`,
)

export const NothingToFork = defineError(
  'NOTHING_TO_FORK',
  { retryable: false },
  (d: { instanceId: string; at: number; status: string }) =>
    `${d.instanceId} was ${d.status} after fact ${d.at}, with nothing left to do: name an earlier fact with "at"`,
)

export const IncidentNotFound = defineError(
  'INCIDENT_NOT_FOUND',
  { retryable: false },
  (d: { incidentId: string }) => `No incident ${d.incidentId} exists`,
)

export const IncidentResolved = defineError(
  'INCIDENT_RESOLVED',
  { retryable: false },
  (d: { incidentId: string }) => `${d.incidentId} was resolved already`,
)

export const OperationNotFound = defineError(
  'OPERATION_NOT_FOUND',
  { retryable: false },
  (d: { operationId: string }) => `No batch operation ${d.operationId} exists`,
)

export const OperationOver = defineError(
  'OPERATION_OVER',
  { retryable: false },
  (d: { operationId: string; state: string }) => `${d.operationId} is ${d.state}: there is nothing left to do`,
)
