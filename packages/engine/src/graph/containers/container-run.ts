import type { StepKey } from '../../journal/fact.ts'
import type { CompiledActivity, GraphProgram } from '../graph-program.ts'
import type { ContainerState, GraphState } from '../graph-state.ts'

/** A container at work: what its rule needs to start parts and to decide how it ends. */
export interface ContainerRun<C extends ContainerState = ContainerState> {
  readonly program: GraphProgram
  readonly state: GraphState
  readonly step: StepKey
  readonly activity: CompiledActivity
  readonly container: C
}
