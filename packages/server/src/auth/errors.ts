import { defineError } from '@lockstep/base'
import type { Principal } from './principal.ts'

/** One answer for every way of not being known: a stranger learns nothing from it. */
export const Unauthenticated = defineError(
  'UNAUTHENTICATED',
  { retryable: false },
  (_: object) =>
    'No valid credentials came with the request: send "Authorization: Bearer <API key or token>", or sign in with POST /api/v1/session',
)

export const SignInFailed = defineError(
  'SIGN_IN_FAILED',
  { retryable: false },
  (_: object) => 'The name or the password is wrong, or the user may not sign in',
)

export const Forbidden = defineError(
  'FORBIDDEN',
  { retryable: false },
  (d: { who: string; permission: string }) => `${d.who} may not do this: it takes ${d.permission}`,
)

export const TaskNotYours = defineError(
  'TASK_NOT_YOURS',
  { retryable: false },
  (d: { who: string; why: string }) => `${d.who} cannot complete this task: ${d.why}`,
)

export const CrossSite = defineError(
  'CROSS_SITE_REQUEST',
  { retryable: false },
  /** `by`: whose cookie the browser sent along. */
  (d: { why: string; by?: Principal | undefined }) =>
    `The request was sent by a page of another site (${d.why}): use Studio of this server, or name the site in LOCKSTEP_CORS_ORIGINS`,
)

export const RateLimited = defineError(
  'RATE_LIMITED',
  { retryable: true },
  (d: { what: string; retryAfterMs: number }) =>
    `Too many ${d.what}: come back in ${Math.max(1, Math.ceil(d.retryAfterMs / 1_000))} s`,
)

export const HttpsRequired = defineError(
  'HTTPS_REQUIRED',
  { retryable: false },
  (_: object) =>
    'This is only answered over https (LOCKSTEP_REQUIRE_HTTPS). A proxy that ends TLS must be named in LOCKSTEP_TRUST_PROXY and send X-Forwarded-Proto',
)

export const ApiKeyNotFound = defineError(
  'API_KEY_NOT_FOUND',
  { retryable: false },
  (d: { id: string }) => `No API key "${d.id}"`,
)

export const UserNotFound = defineError(
  'USER_NOT_FOUND',
  { retryable: false },
  (d: { name: string }) => `No user "${d.name}"`,
)

export const UserExists = defineError(
  'USER_EXISTS',
  { retryable: false },
  (d: { name: string }) => `A user "${d.name}" exists already: choose another name`,
)

export const IssuerUnreachable = defineError(
  'ISSUER_UNREACHABLE',
  { retryable: true },
  (d: { issuer: string; reason: string }) => `The keys of issuer ${d.issuer} cannot be had (${d.reason})`,
)

/** Boot: what has no permission would be open to everybody. */
export const RouteWithoutPermission = defineError(
  'ROUTE_WITHOUT_PERMISSION',
  { retryable: false },
  (d: { routes: readonly string[] }) =>
    `These routes declare no permission: ${d.routes.join(', ')}. Add "permission" to each of them`,
)

/** Boot: the options together would leave something open. */
export const UnsafeStart = defineError(
  'UNSAFE_START',
  { retryable: false },
  (d: { why: string; fix: string }) => `${d.why}. ${d.fix}`,
)
