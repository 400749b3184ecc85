import type { ErrorCode } from './error-code.ts'

/** HTTP status of every error of the catalogue: a new code does not compile until it has one. 503 also says when to come back. */
export const errorStatus: Readonly<Record<ErrorCode, number>> = {
  // the request
  INVALID_REQUEST: 400,
  MALFORMED_JSON: 400,
  BAD_REQUEST: 400,
  INVALID_CURSOR: 400,
  INVALID_ID: 400,
  INVALID_DURATION: 400,
  NOT_JSON: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IF_MATCH_REQUIRED: 428,
  HEADERS_TOO_LARGE: 431,

  // definitions
  DEFINITION_NOT_FOUND: 404,
  DEFINITION_EXISTS: 409,
  DEFINITION_IS_CODE: 409,
  DRAFT_CHANGED: 412,
  DEFINITION_INVALID: 422,
  EXPRESSION_INVALID: 422,

  // instances
  INSTANCE_NOT_FOUND: 404,
  BOOKMARK_NOT_FOUND: 404,
  INSTANCE_ENDED: 409,
  ALREADY_RESUMED: 409,
  RESUME_IN_PROGRESS: 409,
  BOOKMARK_AMBIGUOUS: 409,
  BOOKMARK_EXPIRED: 410,
  INPUT_INVALID: 422,

  // for the moment
  SHUTTING_DOWN: 503,
  FENCED: 503,
  COMMIT_UNKNOWN: 503,
  CONNECTION_LOST: 503,
  DATABASE_BUSY: 503,
  DATABASE_TIMEOUT: 503,
  DATABASE_UNREACHABLE: 503,
  DATABASE_CLOSED: 503,
  SANDBOX_UNAVAILABLE: 503,
  WORKFLOW_NOT_REGISTERED: 503,
  TIMED_OUT: 503,
  CANCELLED: 503,

  // Faults of running workflows and of this program. None is an answer to a request: whoever sees one found a bug.
  INTERNAL: 500,
  INVALID_OPTION: 500,
  INVALID_FACT: 500,
  UNKNOWN_ACTIVITY_TYPE: 500,
  EXPRESSION_FAILED: 500,
  EXPRESSION_LIMIT: 500,
  NON_DETERMINISTIC: 500,
  STEP_FAILED: 500,
  CHILD_FAILED: 500,
  WORKFLOW_FAULT: 500,
  DATABASE_REFUSED: 500,
  UNEXPECTED_ROW_COUNT: 500,
  PORT_IN_USE: 500,
  CANNOT_LISTEN: 500,
}

export function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorStatus, code)
}
