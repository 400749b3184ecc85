import { errorMessage, type Logger, silentLogger, systemClock, systemRandom, TimedOut } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import type {
  AnyJob,
  AnyWorkflow,
  Archive,
  CustomActivity,
  Engine,
  EngineLimits,
  FunctionWorkflow,
  Part,
  ProgressNow,
  ResumeOutcome,
  UserTransaction,
} from '@lockstep/engine'
import { WorkflowFailed } from './errors.ts'
import { openNode } from './open-node.ts'
import { type NodeOptions, resolveNodeOptions } from './options/node-options.ts'
import type { CodeOptions, RawOptions } from './options/raw-options.ts'

export interface LockstepOptions extends RawOptions, Pick<CodeOptions, 'secrets'> {
  /** Workflows that this process can run. */
  readonly workflows?: readonly AnyWorkflow[]
  /** Activities that graphs may use besides the built-in ones. */
  readonly activities?: readonly CustomActivity[]
  /** Workflows that run by themselves: `job('nightly', { cron }, …)`. */
  readonly jobs?: readonly AnyJob[]
  /** Bounds of one instance: steps, depth, fan-out, sizes. What passes one stands with an incident until it is raised. */
  readonly limits?: Partial<EngineLimits>
  /** Gets every ended instance before retention deletes it, such as `archiveToStream(…)`. */
  readonly archive?: Archive
  /** Where log lines go. @default nowhere */
  readonly logger?: Logger
}

export interface StartOptions {
  readonly correlationId?: string
  /** Two starts of one workflow with the same key are one run. */
  readonly dedupeKey?: string
  /** Joins your own transaction: the run exists when that commits. */
  readonly tx?: UserTransaction
}

/** One run of a workflow. Any process may hold one; `result` works on all of them. */
export interface Run<Output> {
  readonly id: string
  /** `false`: a run with the same dedupe key was there first, this is it. */
  readonly created: boolean
  /** Settles with what the workflow returned; throws `WORKFLOW_FAILED` with the reason, or `TIMED_OUT` after `timeoutMs`. */
  result(options?: { readonly timeoutMs?: number }): Promise<Output>
  /** What its steps hand out before they end, on whichever node: each part once, in order, until the run has ended. */
  partials(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterableIterator<Part>
  /** Calls back with the newest words of running steps, until the run has ended; answers how to stop it. */
  onProgress(listener: (steps: readonly ProgressNow[]) => void): () => void
  resume(bookmark: string, payload?: unknown): Promise<ResumeOutcome>
  cancel(reason?: string): Promise<boolean>
}

/** A running node. */
export interface Lockstep extends AsyncDisposable {
  readonly engine: Engine
  /** Locks, elections and the rest of the toolkit, on the store that the options name. */
  readonly locks: Coordinator
  start<Input, Output>(
    workflow: FunctionWorkflow<Input, Output>,
    input: Input,
    options?: StartOptions,
  ): Promise<Run<Output>>
  start(definitionId: string, input?: unknown, options?: StartOptions): Promise<Run<unknown>>
  /** Tells every run that waits for an event of this name (and correlation id). */
  publish(
    event: string,
    payload?: unknown,
    options?: { readonly correlationId?: string },
  ): Promise<{ readonly matched: number; readonly kept: boolean }>
  /** A run that was started earlier, perhaps by another process. */
  run(instanceId: string): Run<unknown>
  /** Lets running steps finish, hands the rest over, and leaves. */
  close(): Promise<void>
}

/** Opens a node in this process: embedded in a folder, or on PostgreSQL when there is a database URL. */
export async function lockstep(options: LockstepOptions = {}): Promise<Lockstep> {
  const { workflows = [], activities = [], jobs = [], limits, archive, logger = silentLogger, ...raw } = options
  const resolved: NodeOptions = resolveNodeOptions(raw)
  const node = await openNode(
    resolved,
    { clock: systemClock, random: systemRandom, logger },
    { workflows, activities, jobs, limits, archive },
  )
  const { engine } = node

  const runOf = <Output>(id: string, created: boolean, here: boolean): Run<Output> => ({
    id,
    created,
    result: async ({ timeoutMs } = {}) => {
      const end = await engine.waitForEnd(id, { here, ...(timeoutMs === undefined ? {} : { limitMs: timeoutMs }) })
      if (end === undefined) throw new TimedOut({ what: `Run ${id}`, afterMs: timeoutMs ?? 0 })
      if (end.status === 'completed') return end.output as Output
      const { definitionId } = await engine.get(id)
      const { code = 'UNKNOWN', message = 'no reason was recorded', step = '' } = end.error ?? {}
      throw new WorkflowFailed({ instanceId: id, workflow: definitionId, status: end.status, code, message, step })
    },
    partials: (following = {}) => engine.results.follow(id, following),
    onProgress: (listener) => followProgress(engine, id, listener, logger),
    resume: (bookmark, payload) => engine.resume({ instanceId: id, bookmark, payload }),
    cancel: (reason) => engine.cancel(id, reason === undefined ? {} : { reason }),
  })

  return {
    engine,
    get locks() {
      return node.locks()
    },
    start: async <Output>(
      workflow: FunctionWorkflow<never, Output> | string,
      input?: unknown,
      startOptions: StartOptions = {},
    ) => {
      const definitionId = typeof workflow === 'string' ? workflow : workflow.id
      const { instanceId, created, here } = await engine.start({ definitionId, input, ...startOptions })
      return runOf<Output>(instanceId, created, here)
    },
    publish: (name, payload, { correlationId } = {}) =>
      engine.publish({ name, payload, ...(correlationId === undefined ? {} : { correlationId }) }),
    run: (instanceId) => runOf(instanceId, true, false),
    close: () => node.close(),
    [Symbol.asyncDispose]: () => node.close(),
  }
}

function followProgress(
  engine: Engine,
  id: string,
  listener: (steps: readonly ProgressNow[]) => void,
  logger: Logger,
): () => void {
  const stopped = new AbortController()
  const follow = async (): Promise<void> => {
    for await (const steps of engine.results.progress(id, { signal: stopped.signal })) {
      if (!stopped.signal.aborted) listener(steps)
    }
  }
  follow().catch((error: unknown) => logger.warn('progress is not told any more', { reason: errorMessage(error) }))
  return () => stopped.abort()
}

/** A configuration file may also name modules that export activities, or folders of them. */
export interface ConfigOptions extends Omit<LockstepOptions, 'activities'> {
  readonly activities?: readonly (CustomActivity | string)[]
}

/** Types a configuration file. */
export function defineConfig(options: ConfigOptions): ConfigOptions {
  return options
}
