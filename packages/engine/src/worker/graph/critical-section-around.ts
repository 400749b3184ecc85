import type { GraphState } from '../../graph/graph-state.ts'
import type { StepKey } from '../../journal/fact.ts'

export interface OpenSection {
  readonly step: StepKey
  readonly lock: string
  readonly fence: string
}

/** Open sections around a step, the innermost first. */
export function sectionsAround(state: GraphState, step: StepKey): OpenSection[] {
  const found: OpenSection[] = []
  for (let { owner } = state.scopes[state.executions[step]!.scope]!; owner !== ''; ) {
    const { container, scope } = state.executions[owner]!
    if (container?.rule === 'critical-section')
      found.push({ step: owner, lock: container.lock, fence: container.fence })
    owner = state.scopes[scope]!.owner
  }
  return found
}

/** The lock that an open section, or one that waits to begin, needs. */
export function lockOf(
  state: GraphState,
  step: StepKey,
): { readonly lock: string; readonly ttlMs: number | undefined } | undefined {
  const container = state.executions[step]?.container
  if (container?.rule === 'critical-section') return { lock: container.lock, ttlMs: container.ttlMs }
  const wait = state.waits[step]?.wait
  return wait?.kind === 'lock' ? { lock: wait.name, ttlMs: wait.ttlMs } : undefined
}
