import { errorCode, errorMessage, isRetryable, toWireId } from '@lockstep/base'
import {
  BookmarkAmbiguous,
  DefinitionInvalid,
  DraftChanged,
  FlowPolicyChanged,
  FlowPolicyInvalid,
  FormInvalid,
  InputInvalid,
  ScheduleChanged,
  ScheduleInvalid,
  SingletonBusy,
  StartThrottled,
  StartUnclear,
  TaskAlreadyCompleted,
  TaskCancelled,
  TaskLeaseLost,
  UnknownOutcome,
} from '@lockstep/engine'
import { RateLimited } from '../auth/errors.ts'
import { Overloaded, TooManyRequests } from '../overload/overload-errors.ts'
import { toEtag } from '../wire/etag.ts'
import type { ErrorCode } from './error-code.ts'
import { errorStatus, isErrorCode } from './error-status.ts'
import {
  AlreadyResumed,
  BookmarkExpired,
  BookmarkNotFound,
  InstanceHeld,
  InstanceNotEnded,
  InstanceUndone,
  InstanceWrongState,
  MigrationImpossible,
  ParentNotEnded,
  ParentTold,
  ResumeInProgress,
  StepNotFound,
} from './instance-errors.ts'
import { problemTitles } from './problem-titles.ts'
import { BodyTooComplex, ImportInvalid, InvalidRequest, MethodNotAllowed, type RequestFault } from './request-errors.ts'

/** RFC 9457, with a stable `code`; members beyond these depend on the code. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly [extra: string]: unknown
}

export const problemType = (code: ErrorCode): string => `/problems/${code.toLowerCase().replaceAll('_', '-')}`

/** What a client is told. Faults of ours keep their words to the log: they may name hosts, statements or data. */
export function toProblem(error: unknown): Problem {
  const found = errorCode(error)
  const code = isErrorCode(found) ? found : 'INTERNAL'
  const status = errorStatus[code]
  return {
    type: problemType(code),
    title: problemTitles[code],
    status,
    detail: detailOf(error, status),
    code,
    retryable: StartUnclear.is(error) ? error.details.keyed : status === 503 || isRetryable(error),
    ...extrasOf(error),
  }
}

function detailOf(error: unknown, status: number): string {
  if (StartUnclear.is(error)) return withWireIds(errorMessage(error), error)
  if (status === 503) return 'Nothing is wrong with the request: repeat it in a moment'
  if (status >= 500) return 'Nothing is known to be wrong with the request. The log of this node says what happened'
  return withWireIds(errorMessage(error), error)
}

const BARE_INSTANCE = /^[0-9a-f]{8}-/

/** Errors of the engine name instances as the store does. */
function withWireIds(text: string, error: unknown): string {
  const id = (error as { readonly details?: { readonly instanceId?: unknown } } | null)?.details?.instanceId
  return typeof id === 'string' && BARE_INSTANCE.test(id) ? text.replaceAll(id, toWireId('instance', id)) : text
}

/** What is wrong with a body is told by a JSON pointer, by that name too. */
const withPointer = (fault: RequestFault) => (fault.in === 'body' ? { ...fault, pointer: fault.field } : fault)

/** Members that programs act on. */
function extrasOf(error: unknown): object | undefined {
  if (BodyTooComplex.is(error)) {
    const { what, limit, pointer } = error.details
    return { what, limit, pointer }
  }
  if (InvalidRequest.is(error)) return { errors: error.details.errors.map(withPointer) }
  if (DefinitionInvalid.is(error) || InputInvalid.is(error) || ScheduleInvalid.is(error))
    return { problems: error.details.problems }
  if (ImportInvalid.is(error)) return { documents: error.details.documents, elsa: error.details.elsa }
  if (DraftChanged.is(error)) {
    const { revision, updatedBy } = error.details
    return { current: { etag: toEtag(revision), ...(updatedBy === undefined ? {} : { updatedBy }) } }
  }
  if (ScheduleChanged.is(error) || FlowPolicyChanged.is(error))
    return { current: { etag: toEtag(error.details.revision) } }
  if (FlowPolicyInvalid.is(error)) return { problems: error.details.problems }
  if (StartThrottled.is(error)) return { retryAfterMs: error.details.retryAfterMs, key: error.details.key }
  if (TooManyRequests.is(error) || Overloaded.is(error)) return { retryAfterMs: error.details.retryAfterMs }
  if (RateLimited.is(error)) return { retryAfterMs: error.details.retryAfterMs }
  if (SingletonBusy.is(error))
    return { instanceId: toWireId('instance', error.details.instanceId), key: error.details.key }
  if (StartUnclear.is(error)) return { instanceId: toWireId('instance', error.details.instanceId) }
  if (BookmarkAmbiguous.is(error)) return { bookmarks: error.details.names }
  if (MigrationImpossible.is(error)) return { outcome: 'incompatible', problems: error.details.problems }
  if (InstanceNotEnded.is(error)) return { instanceStatus: error.details.status }
  if (InstanceHeld.is(error)) return { hold: error.details.hold, reason: error.details.reason ?? null }
  if (ParentNotEnded.is(error)) return { parentId: error.details.parentId }
  if (InstanceWrongState.is(error)) return { outcome: 'wrong-state', instanceStatus: error.details.status }
  if (StepNotFound.is(error)) return { outcome: 'unknown-step', steps: error.details.steps }
  if (InstanceUndone.is(error)) return { outcome: 'undone' }
  if (ParentTold.is(error)) return { outcome: 'parent-told', parentId: error.details.parentId }
  if (AlreadyResumed.is(error)) return { outcome: 'already-resumed' }
  if (ResumeInProgress.is(error)) return { outcome: 'in-progress' }
  if (BookmarkExpired.is(error)) return { outcome: 'expired' }
  if (BookmarkNotFound.is(error)) return { outcome: 'not-found' }
  if (FormInvalid.is(error)) return { problems: error.details.problems }
  if (UnknownOutcome.is(error)) return { outcomes: error.details.outcomes }
  if (TaskAlreadyCompleted.is(error) || TaskLeaseLost.is(error) || TaskCancelled.is(error))
    return { outcome: error.details.outcome, task: error.details.task }
  if (MethodNotAllowed.is(error)) return { allow: error.details.allow }
  return undefined
}
