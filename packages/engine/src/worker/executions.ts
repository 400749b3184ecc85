/** Opens instances for workers, each with all that its code may ask of the engine. */
import type { Clock, Logger, Random } from '@lockstep/base'
import type { ActivityRegistry } from '../activity/activity-registry.ts'
import type { Programs } from '../definition/programs.ts'
import type { Sandbox } from '../expression/sandbox.ts'
import { functionContext } from '../function/function-context.ts'
import { FunctionExecution, type FunctionShell, type WorkflowLocks } from '../function/function-execution.ts'
import { FunctionSaga } from '../function/saga.ts'
import type { EngineLimits } from '../limit/engine-limits.ts'
import type { StepControl } from '../limit/step-control.ts'
import type { Secrets } from '../outbound/secrets.ts'
import type { Execution, ExecutionHost, InstanceIdentity } from './execution.ts'
import { GraphExecution } from './graph/graph-execution.ts'
import type { GraphOutside } from './graph/graph-outside.ts'
import type { GraphShell } from './graph/live-graph.ts'

export interface ExecutionsContext {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly eventTtlMs: number
  readonly locks: WorkflowLocks | undefined
  readonly secrets: Secrets
  readonly limits: EngineLimits
  readonly programs: Programs
  readonly activities: ActivityRegistry
  readonly sandbox: Sandbox
  readonly steps: Pick<StepControl, 'gate' | 'progress' | 'results'>
  readonly outside: GraphOutside
}

export class Executions {
  readonly #c: ExecutionsContext
  /** The same for every instance. */
  readonly #shells: { graph?: GraphShell; function?: FunctionShell } = {}

  constructor(context: ExecutionsContext) {
    this.#c = context
  }

  async open(identity: InstanceIdentity, host: ExecutionHost): Promise<Execution> {
    const program = await this.#c.programs.get(identity.tenant, identity.definitionId, identity.version)
    if (program.kind === 'function') return new FunctionExecution(program.workflow, this.functionShell, host)
    return new GraphExecution(program.graph, this.#graphShell, host)
  }

  get functionShell(): FunctionShell {
    this.#shells.function ??= {
      ...this.#shell(),
      contextOf: functionContext,
      sagaOf: (execution) => new FunctionSaga(execution),
      cancelInstance: this.#c.outside.cancelInstance,
    }
    return this.#shells.function
  }

  get #graphShell(): GraphShell {
    const { activities, sandbox, outside } = this.#c
    this.#shells.graph ??= { ...this.#shell(), activities, sandbox, outside }
    return this.#shells.graph
  }

  #shell() {
    const { clock, random, logger, eventTtlMs, locks, secrets, limits, steps } = this.#c
    const { gate, progress } = steps
    const parts = steps.results.writer
    return { clock, random, logger, eventTtlMs, locks, secrets, limits, gate, progress, parts }
  }
}
