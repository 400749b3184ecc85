import { defineError } from '@lockstep/base'
import type { Problem } from './operations.generated.ts'

/** What the server refused, in its own words: decide by `details.problem.code`. */
export const ServerProblem = defineError(
  'SERVER_PROBLEM',
  { retryable: false },
  (d: { status: number; problem: Problem }) => d.problem.detail,
)

/** Nothing that speaks our language answers there. */
export const ServerUnreachable = defineError(
  'SERVER_UNREACHABLE',
  { retryable: true },
  (d: { url: string; reason: string }) => `Nothing answers at ${d.url} (${d.reason})`,
)
