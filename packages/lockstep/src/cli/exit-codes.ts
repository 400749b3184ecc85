import { defineError } from '@lockstep/base'

export { ServerProblem, ServerUnreachable } from '@lockstep/api'

/** What the process ends with; docs/reference/cli.md lists them. */
export const EXIT = {
  ok: 0,
  /** A workflow ended badly, the store has findings, a document has errors. `server`: it could not start. */
  failed: 1,
  usage: 2,
  notAuthorised: 3,
  notFound: 4,
  conflict: 5,
  invalid: 6,
  unreachable: 7,
  timedOut: 8,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** By status of the answer, where the problem is the server's to tell. */
export function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.notAuthorised
  if (status === 404 || status === 410) return EXIT.notFound
  if (status === 409 || status === 412 || status === 428) return EXIT.conflict
  if (status === 408 || status === 504) return EXIT.timedOut
  if (status === 503) return EXIT.unreachable
  return status < 500 ? EXIT.invalid : EXIT.failed
}

/** Words on the command line that cannot be understood. */
export const UsageError = defineError('USAGE', { retryable: false }, (d: { text: string }) => d.text)

/** The command was understood and carried out, and what it found is bad news; it has been printed. */
export const EndedBadly = defineError(
  'ENDED_BADLY',
  { retryable: false },
  (d: { text: string; exitCode: ExitCode }) => d.text,
)
