import type { GraphBody, StateAt } from '../../api/wire.ts'
import { canvasModel } from '../../canvas/canvas-model.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import type { Look } from '../../ui/status.tsx'
import { clockText } from '../../ui/time-text.ts'
import type { Execution } from './executions.ts'

/** What the state calls phases, in the looks of statuses. */
const phases: Readonly<Record<string, Look>> = {
  active: 'running',
  open: 'running',
  waiting: 'suspended',
  retrying: 'retrying',
  failed: 'faulted',
}

/** How every activity of the drawing stands: what lives by the state, what has ended by the journal. */
export function stepStates(
  executions: readonly Execution[],
  state: StateAt | undefined,
  now: number,
): ReadonlyMap<string, StepState> {
  const states = new Map<string, StepState>()
  for (const run of executions) {
    const runs = (states.get(run.activity)?.runs ?? 0) + 1
    states.set(run.activity, { status: run.status, runs, note: run.error?.message })
  }
  for (const step of state?.steps ?? []) {
    const status = phases[step.phase] ?? 'running'
    const wait = state?.waits.find((each) => each.step === step.step)
    const run = states.get(step.activity)
    const note = wait === undefined ? (status === 'faulted' ? run?.note : undefined) : waitText(wait, now)
    states.set(step.activity, { status, runs: run?.runs ?? 1, note })
  }
  return states
}

function waitText(wait: StateAt['waits'][number], now: number): string {
  const left = wait.dueAt === null ? undefined : clockText(Date.parse(wait.dueAt) - now)
  if (wait.kind === 'timer') return `timer ${left ?? ''}`.trim()
  if (wait.kind === 'human') return left === undefined ? 'waits for a person' : `a person, ${left}`
  // Room is short: with a time to tell, the icon says what kind of wait it is.
  return left === undefined ? `${wait.kind} ${wait.name ?? ''}`.trim() : `${wait.name ?? wait.kind}, ${left}`
}

/** Edges that somebody went along: their step left by that outcome. */
export function takenEdges(document: GraphBody, executions: readonly Execution[]): ReadonlySet<string> {
  const left = new Map<string, Set<string>>()
  for (const { activity, outcome, status, facts } of executions) {
    if (status !== 'completed') continue
    const outcomes = left.get(activity) ?? new Set()
    outcomes.add(outcome ?? 'done')
    for (const each of (facts.at(-1)?.data.outcomes as readonly string[] | undefined) ?? []) outcomes.add(each)
    left.set(activity, outcomes)
  }
  const begun = new Set(executions.map(({ activity }) => activity))
  return new Set(
    canvasModel(document)
      .edges.filter(({ from, outcome, to }) => left.get(from)?.has(outcome) === true && begun.has(to))
      .map(({ id }) => id),
  )
}
