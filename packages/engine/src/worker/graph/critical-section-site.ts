import type { Random } from '@lockstep/base'
import type { CompiledExpression } from '../../expression/expression.ts'
import type { WorkflowLocks } from '../../function/function-execution.ts'
import type { GraphProgram } from '../../graph/graph-program.ts'
import type { GraphState } from '../../graph/graph-state.ts'
import type { StepToRun } from '../../graph/ready.ts'
import type { Fact, Failure, StepKey } from '../../journal/fact.ts'
import type { ExecutionHost } from '../execution.ts'
import type { Freeze } from '../freeze.ts'

/** What critical sections need of the graph that they stand in. */
export interface SectionSite {
  readonly program: GraphProgram<CompiledExpression>
  readonly shell: { readonly locks: WorkflowLocks | undefined; readonly random: Random }
  readonly host: ExecutionHost
  readonly state: GraphState
  readonly freeze: Freeze
  readonly isDisposed: boolean
  activeCount: number
  isAlive(step: StepKey): boolean
  fold(fact: Fact): void
  failureOf(error: unknown, step: StepKey): Failure
  fail(run: StepToRun<CompiledExpression>, error: unknown): void
  goOn(): void
}
