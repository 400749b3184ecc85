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
