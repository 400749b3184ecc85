/** Why a step that talks to the outside failed. They stand in journals and incidents; the retry policy of a step reads their codes. */
import { defineError } from '@lockstep/base'

export const HttpFailed = defineError(
  'HTTP_FAILED',
  { retryable: true },
  (d: { url: string; reason: string }) => `No answer from ${d.url}: ${d.reason}`,
)

export const HttpUnavailable = defineError(
  'HTTP_UNAVAILABLE',
  { retryable: true },
  (d: { url: string; status: number; retryAfterMs?: number; body?: string }) =>
    `${d.url} answered ${d.status}: it may work later${d.retryAfterMs === undefined ? '' : `, it asks for ${d.retryAfterMs} ms`}`,
)

export const HttpRefused = defineError(
  'HTTP_REFUSED',
  { retryable: false },
  (d: { url: string; status: number; body?: string }) =>
    `${d.url} answered ${d.status}, which is not expected. Mend the request, or add the status to "expectedStatus"`,
)

export const HttpResponseTooLarge = defineError(
  'HTTP_RESPONSE_TOO_LARGE',
  { retryable: false },
  (d: { url: string; limit: number }) =>
    `The answer of ${d.url} has more than ${d.limit} bytes. Raise "maxBytes", or ask for less`,
)

export const HttpResponseUnreadable = defineError(
  'HTTP_RESPONSE_UNREADABLE',
  { retryable: false },
  (d: { url: string; reason: string }) => `The answer of ${d.url} cannot be read: ${d.reason}`,
)

export const HttpTooManyRedirects = defineError(
  'HTTP_TOO_MANY_REDIRECTS',
  { retryable: false },
  (d: { url: string; limit: number }) => `${d.url} led to more than ${d.limit} redirects`,
)

export const HttpRedirectRefused = defineError(
  'HTTP_REDIRECT_REFUSED',
  { retryable: false },
  (d: { from: string; to: string; why: string }) =>
    `${d.from} sends the request on to ${d.to}, ${d.why}. Write an address of ${d.to} into "url" if it is meant, or set "followRedirects" to false`,
)

export const OutboundBlocked = defineError(
  'OUTBOUND_BLOCKED',
  { retryable: false },
  (d: { host: string; why: string }) =>
    `Steps may not reach "${d.host}": ${d.why}. An operator can allow it by name or network in the option outbound.allow, and to tenants other than default in outboundTenants`,
)

export const OutboundNotConfigured = defineError(
  'OUTBOUND_NOT_CONFIGURED',
  { retryable: false },
  (d: { what: string; fix: string }) => `This node has no ${d.what}: ${d.fix}`,
)

export const SecretUnusable = defineError(
  'SECRET_UNUSABLE',
  { retryable: false },
  (d: { name: string; why: string }) => `Secret "${d.name}" ${d.why}`,
)

export const MailRefused = defineError(
  'MAIL_REFUSED',
  { retryable: false },
  (d: { reason: string }) => `The mail server refused the mail: ${d.reason}`,
)

export const MailUnavailable = defineError(
  'MAIL_UNAVAILABLE',
  { retryable: true },
  (d: { reason: string }) => `The mail server did not take the mail: ${d.reason}`,
)

export const SqlRefused = defineError(
  'SQL_REFUSED',
  { retryable: false },
  (d: { sqlstate: string; reason: string; connection?: string }) =>
    `The database refused the query: ${d.reason} (${d.sqlstate})`,
)

export const SqlUnavailable = defineError(
  'SQL_UNAVAILABLE',
  { retryable: true },
  (d: { connection: string; reason: string; unclear: boolean }) =>
    `Connection "${d.connection}" gave no answer${d.unclear ? ', and the statement may have been committed' : ''}: ${d.reason}`,
)

export const TooManyRows = defineError(
  'TOO_MANY_ROWS',
  { retryable: false },
  (d: { limit: number }) => `The query answers more than ${d.limit} rows. Narrow it, or raise "maxRows"`,
)

export const BrokerRefused = defineError(
  'BROKER_REFUSED',
  { retryable: false },
  (d: { broker: string; reason: string }) => `${d.broker} refused the message: ${d.reason}`,
)

export const BrokerUnavailable = defineError(
  'BROKER_UNAVAILABLE',
  { retryable: true },
  (d: { broker: string; reason: string }) => `${d.broker} did not take the message: ${d.reason}`,
)
