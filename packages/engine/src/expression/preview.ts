/** Evaluates what an author is writing. It has a sandbox of its own: however long a preview takes, no step waits behind it. */
import type { Clock, Json, Logger } from '@lockstep/base'
import { ExpressionFailed, ExpressionInvalid, ExpressionLimit } from './errors.ts'
import { compileExpression, evaluateExpression } from './expression.ts'
import { PREVIEW_SOURCE_LENGTH } from './limits.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'
import type { ExpressionScope } from './scope.ts'

export type PreviewResult =
  | { readonly status: 'value'; readonly value: Json }
  /** `line` and `column` from 1, where the place is known. */
  | {
      readonly status: 'invalid' | 'failed' | 'limit'
      readonly message: string
      readonly line?: number
      readonly column?: number
    }

const TOO_LONG: PreviewResult = {
  status: 'invalid',
  message: `it is longer than ${PREVIEW_SOURCE_LENGTH} characters, which is what a preview may have`,
  line: 1,
  column: 1,
}

export class ExpressionPreview {
  readonly #sandbox: Sandbox

  constructor(options: { readonly clock: Clock; readonly logger: Logger; readonly outputBytes: number }) {
    this.#sandbox = openSandbox(options)
  }

  async evaluate(source: string, scope: ExpressionScope): Promise<PreviewResult> {
    if (source.length > PREVIEW_SOURCE_LENGTH) return TOO_LONG
    try {
      return { status: 'value', value: await evaluateExpression(compileExpression(source), scope, this.#sandbox) }
    } catch (error) {
      const told = toResult(error)
      if (told === undefined) throw error
      return told
    }
  }

  close(): Promise<void> {
    return this.#sandbox.close()
  }
}

function toResult(error: unknown): PreviewResult | undefined {
  if (ExpressionInvalid.is(error)) {
    const { reason, line, column } = error.details
    return { status: 'invalid', message: reason, line, column }
  }
  if (ExpressionFailed.is(error)) {
    const { name, message } = error.details
    return { status: 'failed', message: `${name}: ${message}` }
  }
  return ExpressionLimit.is(error) ? { status: 'limit', message: error.message } : undefined
}
