import { defineError } from '@lockstep/base'

const SHOWN_LENGTH = 200

/** What an error shows of an expression: enough to find it, never a whole script. */
export function shownSource(source: string): string {
  return source.length <= SHOWN_LENGTH ? source : `${source.slice(0, SHOWN_LENGTH - 1)}…`
}

export const ExpressionInvalid = defineError(
  'EXPRESSION_INVALID',
  { retryable: false },
  (d: { expression: string; line: number; column: number; reason: string }) =>
    `Expression cannot be read at line ${d.line}, column ${d.column}: ${d.reason}`,
)

export const ExpressionFailed = defineError(
  'EXPRESSION_FAILED',
  { retryable: false },
  (d: { expression: string; name: string; message: string }) =>
    `Expression "${d.expression}" threw ${d.name}: ${d.message}`,
)

/** `time`, `memory` and `stack` are measured while it runs; `output` and `depth` on the JSON it answers. */
export type ExpressionLimitName = 'time' | 'memory' | 'stack' | 'output' | 'depth'

export const ExpressionLimit = defineError(
  'EXPRESSION_LIMIT',
  { retryable: false },
  (d: { expression: string; limit: ExpressionLimitName }) =>
    `Expression "${d.expression}" went over its ${d.limit} limit${d.limit === 'output' ? ': make it answer with less, or raise limits.payloadBytes and retry' : ''}`,
)

/** The sandbox itself, not the expression: it was closed, or its thread cannot be started. */
export const SandboxUnavailable = defineError(
  'SANDBOX_UNAVAILABLE',
  { retryable: true },
  (d: { reason: string }) => `The expression sandbox is not available: ${d.reason}`,
)
