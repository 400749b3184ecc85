import { defineError } from '@lockstep/base'

/** One thing that is wrong with a request, and where. */
export interface RequestFault {
  readonly in: 'body' | 'query' | 'header'
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

/** What the parser of HTTP itself refused: a path that is not UTF-8, a length that does not fit. */
export const BadRequest = defineError(
  'BAD_REQUEST',
  { retryable: false },
  (d: { reason: string }) => `The request cannot be understood: ${d.reason}`,
)

export const UnsupportedMediaType = defineError(
  'UNSUPPORTED_MEDIA_TYPE',
  { retryable: false },
  (d: { found: string }) => `${d.found} is not accepted here: send Content-Type: application/json, not compressed`,
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
  (d: { reason: string }) => `The cursor cannot be used: ${d.reason}. Pass page.next of the last answer as it is`,
)

/** This node is on its way out; another one, or the same a little later, answers. */
export const ShuttingDown = defineError(
  'SHUTTING_DOWN',
  { retryable: true },
  (_: object) => 'This node is shutting down',
)

/** Anything nobody foresaw. What it was stands in the log, not in the answer. */
export const Internal = defineError(
  'INTERNAL',
  { retryable: false },
  (_: object) => 'Something went wrong on our side. The log of this node says what',
)
