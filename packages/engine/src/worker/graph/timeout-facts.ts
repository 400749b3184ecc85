import { applyFact } from '../../graph/apply-fact.ts'
import { isLive } from '../../graph/ready.ts'
import type { Fact, StepKey } from '../../journal/fact.ts'
import type { LiveGraph } from './live-graph.ts'
import { timeoutFact } from './outside-ended.ts'

/** Time-outs that are put to the store together. */
const MOST = 1_000

/** What becomes of waits that are over. Steps that an earlier one of them cancels are left out: tried on a copy, since nothing holds yet. */
export function timeoutFacts(
  graph: LiveGraph,
  late: readonly StepKey[],
): { readonly steps: readonly StepKey[]; readonly facts: readonly Fact[] } {
  if (late.length < 2) return { steps: late, facts: late.map((step) => timeoutFact(graph, step)) }
  const copy = structuredClone(graph.state)
  const steps: StepKey[] = []
  const facts: Fact[] = []
  for (const step of late.slice(0, MOST)) {
    if (!isLive(copy, step)) continue
    const fact = timeoutFact(graph, step)
    applyFact(graph.program, copy, fact)
    steps.push(step)
    facts.push(fact)
  }
  return { steps, facts }
}
