import { defineError } from '@lockstep/base'
import type { DevState, DevVerb } from '../dev-cluster/dev-control.ts'

/** One thing that is wrong with a request, and where. */
export interface RequestFault {
  readonly in: 'body' | 'query' | 'header' | 'path'
  /** JSON pointer into the body (RFC 6901), or the name of the parameter or header. */
  readonly field: string
  /** What to do about it. */
  readonly text: string
}

export const InvalidRequest = defineError(
  'INVALID_REQUEST',
  { retryable: false },
  (d: { errors: readonly RequestFault[] }) =>
    d.errors
      .slice(0, 3)
      .map((each) => each.text)
      .join('; '),
)

export const MalformedJson = defineError(
  'MALFORMED_JSON',
  { retryable: false },
  (d: { reason: string }) => `The body cannot be read as JSON: ${d.reason}`,
)

/** Sound JSON, and more of it inside itself than is worth reading. */
export const BodyTooComplex = defineError(
  'BODY_TOO_COMPLEX',
  { retryable: false },
  (d: { what: 'levels' | 'members'; limit: number; pointer: string }) =>
    `The body has more than the ${d.limit} ${d.what} that this operation takes${d.pointer === '' ? '' : `, at ${d.pointer}`}: ${
      d.what === 'levels' ? 'flatten it' : 'send less at once, or lists instead of objects'
    }`,
)

/** What the parser of HTTP itself refused: a path that is not UTF-8, a length that does not fit. */
export const BadRequest = defineError(
  'BAD_REQUEST',
  { retryable: false },
  (d: { reason: string }) => `The request cannot be understood: ${d.reason}`,
)

export const UnsupportedMediaType = defineError(
  'UNSUPPORTED_MEDIA_TYPE',
  { retryable: false },
  (d: { found: string; wanted?: string }) =>
    `${d.found} is not accepted here: send Content-Type: ${d.wanted ?? 'application/json'}, not compressed`,
)

export const BodyTooLarge = defineError(
  'BODY_TOO_LARGE',
  { retryable: false },
  (d: { limit: number }) => `The body is larger than the ${d.limit} bytes that this operation takes`,
)

export const HeadersTooLarge = defineError(
  'HEADERS_TOO_LARGE',
  { retryable: false },
  (_: object) => 'The headers are larger than 16 KiB in all: send fewer or shorter ones',
)

export const RequestTimeout = defineError(
  'REQUEST_TIMEOUT',
  { retryable: true },
  (_: object) => 'The request took too long to arrive',
)

export const RouteNotFound = defineError(
  'NOT_FOUND',
  { retryable: false },
  (d: { method: string; path: string }) =>
    `Nothing answers ${d.method} ${d.path}. GET /api/v1/openapi.json lists what does`,
)

export const MethodNotAllowed = defineError(
  'METHOD_NOT_ALLOWED',
  { retryable: false },
  (d: { method: string; path: string; allow: readonly string[] }) =>
    `${d.path} does not take ${d.method}: use ${d.allow.join(' or ')}`,
)

export const IfMatchRequired = defineError(
  'IF_MATCH_REQUIRED',
  { retryable: false },
  (d: { what: string }) => `Send If-Match with the ETag of ${d.what}, so that nobody's change is lost`,
)

export const InvalidCursor = defineError(
  'INVALID_CURSOR',
  { retryable: false },
  (d: { reason: string }) =>
    `The cursor cannot be used: ${d.reason}. Pass page.next or page.prev of the last answer as it is`,
)

export const IdempotencyKeyReused = defineError(
  'IDEMPOTENCY_KEY_REUSED',
  { retryable: false },
  (d: { key: string }) =>
    `Idempotency-Key "${d.key}" was used for another request of this kind: choose a new key, or send what was sent then`,
)

export const IdempotencyInProgress = defineError(
  'IDEMPOTENCY_IN_PROGRESS',
  { retryable: true },
  (d: { key: string; forMs: number }) =>
    `The request with Idempotency-Key "${d.key}" is still being answered: repeat it in a moment (if its node died, in ${Math.ceil(d.forMs / 1_000)} s at the latest)`,
)

interface ImportedEntry {
  readonly index: number
  readonly id: string | null
  readonly outcome: string
  readonly problems: readonly { readonly pointer: string; readonly text: string; readonly severity: string }[]
}

export const ImportInvalid = defineError(
  'IMPORT_INVALID',
  { retryable: false },
  (d: { documents: readonly ImportedEntry[]; elsa?: unknown }) => {
    const invalid = d.documents.filter(({ outcome }) => outcome === 'invalid')
    const places = invalid.slice(0, 3).map(({ id, index, problems }) => {
      const first = problems.find(({ severity }) => severity === 'error')
      return `${id ?? `document ${index + 1}`}: ${first?.pointer || '/'} ${first?.text ?? 'cannot be read'}`
    })
    return `Nothing was written: ${invalid.length} of ${d.documents.length} document(s) have errors (${places.join('; ')})`
  },
)

export const LockNotFound = defineError(
  'LOCK_NOT_FOUND',
  { retryable: false },
  (d: { key: string }) => `Nobody holds lock "${d.key}" or waits for it`,
)

export const LockIsInstance = defineError(
  'LOCK_IS_INSTANCE',
  { retryable: false },
  (d: { key: string; node: string }) =>
    `"${d.key}" is an instance that node ${d.node} works on: it is not taken from a living node. Cancel the instance; if the node is dead, the others free it by themselves`,
)

export const ActivityTypeNotFound = defineError(
  'ACTIVITY_TYPE_NOT_FOUND',
  { retryable: false },
  (d: { type: string }) => `This node has no activity type "${d.type}"`,
)

export const FlowPolicyNotFound = defineError(
  'FLOW_POLICY_NOT_FOUND',
  { retryable: false },
  (d: { definitionId: string }) => `"${d.definitionId}" has no flow policy, or does not exist`,
)

export const LimitNotFound = defineError(
  'LIMIT_NOT_FOUND',
  { retryable: false },
  (d: { key: string }) => `No step ever asked for limit "${d.key}", and nobody set it`,
)

export const CacheNotFound = defineError(
  'CACHE_NOT_FOUND',
  { retryable: false },
  (d: { name: string; names: readonly string[] }) => `There is no cache "${d.name}", only ${d.names.join(', ')}`,
)

export const BreakerNotFound = defineError(
  'BREAKER_NOT_FOUND',
  { retryable: false },
  (d: { key: string }) => `Breaker "${d.key}" never opened`,
)

export const NodeNotFound = defineError(
  'NODE_NOT_FOUND',
  { retryable: false },
  (d: { id: string }) => `There is no node "${d.id}": it has left, was buried, or never was`,
)

export const NotDevCluster = defineError(
  'NOT_DEV_CLUSTER',
  { retryable: false },
  (_: object) =>
    'Only the nodes of `lockstep cluster dev` can be killed, frozen and revived from here. Drain a node, or stop its process',
)

export const LockLabNotOffered = defineError(
  'LOCK_LAB_NOT_OFFERED',
  { retryable: false },
  (_: object) => 'Only nodes of `lockstep dev` and `lockstep cluster dev` have a lock lab',
)

export const NodeWrongState = defineError(
  'NODE_WRONG_STATE',
  { retryable: false },
  (d: { name: string; state: DevState; verb: DevVerb }) => `${d.name} is ${d.state}: it cannot ${doing[d.verb]}`,
)

const doing: Readonly<Record<DevVerb, string>> = {
  kill: 'be killed',
  pause: 'be frozen',
  continue: 'go on',
  revive: 'be revived',
}

export const SweepInProgress = defineError(
  'SWEEP_IN_PROGRESS',
  { retryable: true },
  (_: object) => 'Another node is sweeping at this moment',
)

/** This node is on its way out; another one, or the same a little later, answers. */
export const ShuttingDown = defineError(
  'SHUTTING_DOWN',
  { retryable: true },
  (_: object) => 'This node is shutting down',
)

/** Nothing of the request was begun: the node opens its store first. */
export const NodeStarting = defineError(
  'NODE_STARTING',
  { retryable: true },
  (_: object) => 'This node has not come up yet',
)

/** Anything nobody foresaw. What it was stands in the log, not in the answer. */
export const Internal = defineError(
  'INTERNAL',
  { retryable: false },
  (_: object) => 'Something went wrong on our side. The log of this node says what',
)
