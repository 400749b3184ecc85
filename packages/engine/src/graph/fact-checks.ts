import type { Json } from '@lockstep/base'
import type { Fact, StepKey } from '../journal/fact.ts'
import { InvalidFact } from './graph-errors.ts'
import type { GraphProgram } from './graph-program.ts'
import type { ExecutionState, GraphState } from './graph-state.ts'
import { ownMember } from './own-member.ts'

type StepFact = Extract<Fact, { readonly step: StepKey }>

export function requireLive(state: GraphState, fact: StepFact): ExecutionState {
  if (state.status !== 'running') throw invalid(fact, `the instance is ${state.status}`)
  const execution = ownMember(state.executions, fact.step)
  if (execution === undefined) throw invalid(fact, 'it is not alive: it never began, or it has ended')
  return execution
}

/** Alive, and not a container whose parts run. */
export function requireNotOpen(state: GraphState, fact: StepFact): ExecutionState {
  const execution = requireLive(state, fact)
  if (execution.phase === 'open') throw invalid(fact, 'it is open already')
  return execution
}

export function requireAttempt(execution: ExecutionState, fact: StepFact & { readonly attempt: number }): void {
  if (fact.attempt === execution.attempt) return
  throw invalid(fact, `attempt ${execution.attempt} comes next, not ${fact.attempt}`)
}

export function requireDeclared(
  program: GraphProgram,
  fact: Fact,
  variables: Readonly<Record<string, Json>> | undefined,
): void {
  if (variables === undefined) return
  for (const name of Object.keys(variables)) {
    if (!program.variables.has(name)) throw invalid(fact, `variable "${name}" is not declared`)
  }
}

export function invalid(fact: Fact, reason: string): Error {
  return new InvalidFact({ kind: fact.kind, reason, ...('step' in fact && { step: fact.step }) })
}
