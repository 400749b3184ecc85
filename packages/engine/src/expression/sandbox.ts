import { abortable, type Clock, InvalidOption, type Json, type Logger, silentLogger } from '@lockstep/base'
import { ExpressionFailed, ExpressionInvalid, ExpressionLimit, shownSource } from './errors.ts'
import { OUTPUT_BYTES } from './limits.ts'
import type { ProgramKind } from './program.ts'
import { rememberPrograms } from './program-cache.ts'
import { compileEngine } from './sandbox-engine.ts'
import { openPool, type PoolSettings } from './sandbox-pool.ts'
import type { SandboxOutcome } from './sandbox-protocol.ts'
import { startThread } from './sandbox-thread.ts'
import { type ExpressionScope, scopeText } from './scope.ts'

/** All of JavaScript, without clock, randomness or a way out. Answers in the order asked. */
export interface Sandbox {
  /** What an answer may take at most, here and where it needs no sandbox. */
  readonly outputBytes: number
  /** Throws EXPRESSION_INVALID, EXPRESSION_FAILED, EXPRESSION_LIMIT, SANDBOX_UNAVAILABLE, or the reason of the signal. */
  evaluate(source: string, scope: ExpressionScope, options?: SandboxCall): Promise<Json>
  /** What is under way or waiting fails with SANDBOX_UNAVAILABLE. */
  close(): Promise<void>
}

export interface SandboxCall {
  /** @default 'expression' */
  readonly kind?: ProgramKind
  /** Gives up the answer, not the thread: what runs there is bounded anyway. */
  readonly signal?: AbortSignal
}

export interface SandboxOptions {
  readonly clock: Clock
  readonly logger?: Logger
  /** Threads at most. None is started before it is needed. @default 1 */
  readonly workers?: number
  /** Of a processor, where the system tells: a program that still runs is stopped at its next step. @default 250 */
  readonly softLimitMs?: number
  /** Then its thread is ended, whatever it does. @default 1_000, or twice `softLimitMs` if that is more */
  readonly hardLimitMs?: number
  /** What the values of a program may take; the memory around them is up to about twice that. @default 16 MiB, or sixteen times `outputBytes` if that is more */
  readonly memoryBytes?: number
  /** Of JSON, in UTF-8. @default 256 KiB */
  readonly outputBytes?: number
}

/** WebAssembly has no more than four times that. */
const MOST_MEMORY = 1024 * 1024 * 1024
const REMEMBERED_CHARACTERS = 2_000_000

export function openSandbox(options: SandboxOptions): Sandbox {
  const { outputBytes = OUTPUT_BYTES } = options
  const pool = openPool(resolveOptions(options))
  const read = rememberPrograms(REMEMBERED_CHARACTERS)
  return {
    outputBytes,
    async evaluate(source, scope, { kind = 'expression', signal } = {}) {
      signal?.throwIfAborted()
      const { text, references } = read(source, kind)
      const request = { program: text, scope: scopeText(scope, references) }
      return answerOf(await abortable(pool.run(request, signal), signal), source)
    },
    close: () => pool.close(),
  }
}

function resolveOptions(options: SandboxOptions): PoolSettings {
  const { clock, logger = silentLogger, workers = 1, softLimitMs = 250 } = options
  const { hardLimitMs = Math.max(1_000, softLimitMs * 2) } = options
  const { outputBytes = OUTPUT_BYTES } = options
  const { memoryBytes = Math.min(MOST_MEMORY, 16 * Math.max(outputBytes, 1024 * 1024)) } = options
  if (!(workers >= 1)) throw new InvalidOption({ option: 'workers', rule: 'at least 1', value: workers })
  if (!(hardLimitMs > softLimitMs)) throw new InvalidOption({ option: 'hardLimitMs', rule: 'more than softLimitMs' })
  if (!(memoryBytes >= 1024 * 1024)) throw new InvalidOption({ option: 'memoryBytes', rule: 'at least 1 MiB' })

  const limits = { softLimitMs, memoryBytes, outputBytes }
  const start = async () => startThread({ ...limits, engine: await compileEngine() })
  return { start, workers, hardLimitMs, clock, logger: logger.area('sandbox') }
}

function answerOf(outcome: SandboxOutcome, source: string): Json {
  const expression = shownSource(source)
  switch (outcome.status) {
    case 'value':
      return JSON.parse(outcome.json) as Json
    case 'threw':
      throw new ExpressionFailed({ expression, name: outcome.name, message: outcome.message })
    case 'limit':
      throw new ExpressionLimit({ expression, limit: outcome.limit })
    case 'invalid':
      throw new ExpressionInvalid({ expression, line: 1, column: 1, reason: outcome.reason })
  }
}
