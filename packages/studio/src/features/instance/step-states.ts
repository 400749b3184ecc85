import type { ActivityTally, GraphBody, StateAt, Why } from '../../api/wire.ts'
import { canvasModel } from '../../canvas/canvas-model.ts'
import type { StepState } from '../../canvas/graph-view.tsx'
import { clockText } from '../../ui/time-text.ts'
import type { Execution } from './executions.ts'
import { activityOf } from './step-key.ts'

/** What the state calls phases, as statuses. */
const phases: Readonly<Record<string, Tally['status']>> = {
  active: 'running',
  open: 'running',
  waiting: 'suspended',
  retrying: 'retrying',
  failed: 'faulted',
}

/** How an activity stands, and how often it went which way. */
export type Tally = Pick<ActivityTally, 'activity' | 'status' | 'runs' | 'outcomes' | 'lastError'>

/** How every activity of the drawing stands: what lives says what it waits for, what failed says why. */
export function stepStates(
  tallies: readonly Tally[],
  state: StateAt | undefined,
  now: number,
  why?: Pick<Why, 'blockers' | 'waitsFor'>,
): ReadonlyMap<string, StepState> {
  const states = new Map<string, StepState>()
  for (const { activity, status, runs, lastError } of tallies) {
    const note = status === 'faulted' || status === 'retrying' ? lastError?.message : undefined
    states.set(activity, { status, runs, note })
  }
  for (const step of state?.steps ?? []) {
    const status = phases[step.phase] ?? 'running'
    const wait = state?.waits.find((each) => each.step === step.step)
    const known = states.get(step.activity)
    if (wait !== undefined || known === undefined)
      states.set(step.activity, {
        status: known?.status ?? status,
        runs: known?.runs ?? 1,
        note: wait === undefined ? undefined : waitText(wait, now),
      })
  }
  for (const [activity, note] of heldBack(why, now)) {
    const known = states.get(activity)
    if (known !== undefined && !OVER.has(known.status)) states.set(activity, { ...known, note })
  }
  return states
}

const OVER: ReadonlySet<string> = new Set(['completed', 'faulted', 'cancelled'])

/** What steps wait for that is in no journal: a lock, a limit, a breaker, the next attempt. Room is short, hence the fewest words. */
function heldBack(why: Pick<Why, 'blockers' | 'waitsFor'> | undefined, now: number): ReadonlyMap<string, string> {
  const left = (until: string | null | undefined): string | undefined =>
    until === null || until === undefined ? undefined : clockText(Date.parse(until) - now)
  const notes = new Map<string, string>()
  for (const { kind, step, dueAt } of why?.waitsFor ?? []) {
    const until = left(dueAt)
    if (kind === 'retry' && until !== undefined) notes.set(activityOf(step), `again in ${until}`)
  }
  for (const { kind, step, key, untilAt } of why?.blockers ?? []) {
    if (step === null || key === null) continue
    const until = left(untilAt)
    notes.set(activityOf(step), until === undefined ? `${kind} ${key}` : `${kind} ${key}, ${until}`)
  }
  return notes
}

/** The same, of a journal that is here as a whole. What lives is told by the state. */
export function talliesOf(executions: readonly Execution[], state: StateAt | undefined): readonly Tally[] {
  const tallies = new Map<string, Tally & { readonly outcomes: Record<string, number> }>()
  for (const { activity, status, outcome, error, facts } of executions) {
    const known = tallies.get(activity)
    const outcomes = known?.outcomes ?? {}
    const left = (facts.at(-1)?.data.outcomes as readonly string[] | undefined) ?? [outcome ?? 'done']
    if (status === 'completed') for (const each of left) outcomes[each] = (outcomes[each] ?? 0) + 1
    tallies.set(activity, {
      ...{ activity, outcomes, status: status as Tally['status'] },
      runs: (known?.runs ?? 0) + 1,
      lastError: error ?? null,
    })
  }
  for (const { activity, phase } of state?.steps ?? []) {
    const known = tallies.get(activity) ?? { activity, runs: 1, outcomes: {}, lastError: null }
    tallies.set(activity, { ...known, status: phases[phase] ?? 'running' })
  }
  return [...tallies.values()]
}

function waitText(wait: StateAt['waits'][number], now: number): string {
  const left = wait.dueAt === null ? undefined : clockText(Date.parse(wait.dueAt) - now)
  if (wait.kind === 'timer') return `timer ${left ?? ''}`.trim()
  if (wait.kind === 'human') return left === undefined ? 'waits for a person' : `a person, ${left}`
  // Room is short: with a time to tell, the icon says what kind of wait it is.
  return left === undefined ? `${wait.kind} ${wait.name ?? ''}`.trim() : `${wait.name ?? wait.kind}, ${left}`
}

/** Edges that somebody went along: their step left by that outcome. */
export function takenEdges(document: GraphBody, tallies: readonly Tally[]): ReadonlySet<string> {
  const begun = new Map(tallies.map((tally) => [tally.activity, tally]))
  return new Set(
    canvasModel(document)
      .edges.filter(({ from, outcome, to }) => (begun.get(from)?.outcomes[outcome] ?? 0) > 0 && begun.has(to))
      .map(({ id }) => id),
  )
}
