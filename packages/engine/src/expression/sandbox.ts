import { type Clock, deferred, InvalidOption, type Json, type Logger, silentLogger } from '@lockstep/base'
import { ExpressionFailed, ExpressionInvalid, ExpressionLimit, SandboxUnavailable, shownSource } from './errors.ts'
import { OUTPUT_BYTES } from './limits.ts'
import { type ParsedProgram, type ProgramKind, parseProgram } from './program.ts'
import { compileEngine } from './sandbox-engine.ts'
import type { MachineSettings, SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'
import { type SandboxThread, startThread, ThreadLost } from './sandbox-thread.ts'
import { type ExpressionScope, scopeText } from './scope.ts'

export interface Sandbox {
  /** Answers in the order asked. Aborting gives up the answer, not the thread: that is bounded anyway. */
  evaluate(source: string, scope: ExpressionScope, options?: SandboxCall): Promise<Json>
  close(): Promise<void>
}

export interface SandboxCall {
  /** @default 'expression' */
  readonly kind?: ProgramKind
  readonly signal?: AbortSignal
}

export interface SandboxOptions {
  readonly clock: Clock
  readonly logger?: Logger
  /** Threads at most. None is started before it is needed. @default 1 */
  readonly workers?: number
  /** A program that still runs is stopped at its next step. @default 250 */
  readonly softLimitMs?: number
  /** Then its thread is ended, whatever it does. @default 1_000 */
  readonly hardLimitMs?: number
  /** What the values of a program may take; the memory around them is at most about twice that. @default 16 MiB */
  readonly memoryBytes?: number
  /** Of JSON, in UTF-8. @default 256 KiB */
  readonly outputBytes?: number
}

interface ResolvedOptions {
  /** What goes to the thread. */
  readonly machine: Omit<MachineSettings, 'engine'>
  readonly clock: Clock
  readonly logger: Logger
  readonly workers: number
  readonly hardLimitMs: number
}

interface Job {
  readonly program: ParsedProgram
  readonly request: SandboxRequest
  readonly resolve: (answer: Json) => void
  readonly reject: (error: unknown) => void
  given: boolean
}

/** A thread is cheap to replace, and an old one may have kept what it should not. */
const REQUESTS_PER_THREAD = 10_000
const KEPT_PROGRAMS = 500

export function openSandbox(options: SandboxOptions): Sandbox {
  const settings = resolveOptions(options)
  const programs = new Map<string, ParsedProgram>()
  const queue: Job[] = []
  const idle: SandboxThread[] = []
  const serving = new Set<Promise<void>>()
  const live = new Set<SandboxThread>()
  let closed = false

  function programOf(source: string, kind: ProgramKind): ParsedProgram {
    const key = `${kind} ${source}`
    const known = programs.get(key)
    if (known !== undefined) return known
    const program = parseProgram(source, kind)
    if (programs.size >= KEPT_PROGRAMS) programs.delete(programs.keys().next().value!)
    programs.set(key, program)
    return program
  }

  function enqueue(job: Job): void {
    queue.push(job)
    if (serving.size >= settings.workers) return
    const loop: Promise<void> = serve().finally(() => serving.delete(loop))
    serving.add(loop)
  }

  /** One of these per thread at work; ends when nothing is left to do. */
  async function serve(): Promise<void> {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (job.given) continue
      try {
        job.resolve(await perform(job))
      } catch (error) {
        job.reject(error)
      }
    }
  }

  async function perform(job: Job): Promise<Json> {
    const thread = idle.pop() ?? (await start())
    const outcome = await runWithin(thread, job)
    if (isSpent(thread, outcome)) await stop(thread)
    else idle.push(thread)
    return answerOf(outcome, job.program.source)
  }

  async function start(): Promise<SandboxThread> {
    if (closed) throw new SandboxUnavailable({ reason: 'it is closed' })
    const thread = await startThread({ ...settings.machine, engine: await compileEngine() })
    live.add(thread)
    if (closed) await stop(thread)
    return thread
  }

  async function stop(thread: SandboxThread): Promise<void> {
    live.delete(thread)
    await thread.stop()
  }

  async function runWithin(thread: SandboxThread, job: Job): Promise<SandboxOutcome> {
    if (closed) throw new SandboxUnavailable({ reason: 'it is closed' })
    let killed = false
    const timer = settings.clock.schedule(settings.hardLimitMs, () => {
      killed = true
      void thread.stop()
    })
    try {
      return await thread.run(job.request)
    } catch (error) {
      live.delete(thread)
      if (closed) throw new SandboxUnavailable({ reason: 'it is closed' })
      if (killed) return { status: 'limit', limit: 'time' }
      settings.logger.warn('sandbox thread lost', { expression: shownSource(job.program.source), error })
      return lost(error)
    } finally {
      timer.cancel()
    }
  }

  return {
    async evaluate(source, scope, { kind = 'expression', signal } = {}) {
      signal?.throwIfAborted()
      const program = programOf(source, kind)
      if (closed) throw new SandboxUnavailable({ reason: 'it is closed' })
      const request = { program: program.text, scope: scopeText(scope, program.references) }
      const { promise, resolve, reject } = deferred<Json>()
      const job: Job = { program, request, resolve, reject, given: false }
      const giveUp = (): void => {
        job.given = true
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      enqueue(job)
      return promise.finally(() => signal?.removeEventListener('abort', giveUp))
    },
    async close() {
      closed = true
      for (const job of queue.splice(0)) job.reject(new SandboxUnavailable({ reason: 'it is closed' }))
      await Promise.all([...live].map(stop))
      await Promise.all(serving)
    },
  }
}

function resolveOptions(options: SandboxOptions): ResolvedOptions {
  const {
    clock,
    logger = silentLogger,
    workers = 1,
    softLimitMs = 250,
    hardLimitMs = Math.max(1_000, softLimitMs * 2),
  } = options
  const { memoryBytes = 16 * 1024 * 1024, outputBytes = OUTPUT_BYTES } = options
  if (workers < 1) throw new InvalidOption({ option: 'workers', rule: 'at least 1', value: workers })
  if (hardLimitMs <= softLimitMs) throw new InvalidOption({ option: 'hardLimitMs', rule: 'more than softLimitMs' })
  if (memoryBytes < 1024 * 1024)
    throw new InvalidOption({ option: 'memoryBytes', rule: 'at least 1 MiB', value: memoryBytes })
  const machine = { softLimitMs, memoryBytes, outputBytes }
  return { machine, clock, logger: logger.area('sandbox'), workers, hardLimitMs }
}

/** What went over a limit may have left its thread large. */
function isSpent(thread: SandboxThread, outcome: SandboxOutcome): boolean {
  if (thread.taken >= REQUESTS_PER_THREAD) return true
  return outcome.status === 'limit' && outcome.limit !== 'output' && outcome.limit !== 'depth'
}

function lost(error: unknown): SandboxOutcome {
  if (error instanceof ThreadLost && error.outOfMemory) return { status: 'limit', limit: 'memory' }
  return { status: 'threw', name: 'SandboxCrash', message: error instanceof Error ? error.message : String(error) }
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
