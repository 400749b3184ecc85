/**
 * What the expressions of a step see, or saw: the scope at a fact of an instance. For a step, as it was when its last run before that fact
 * began; for one that this run never came to, or without a step, the outermost scope as it was then. Reads, and changes nothing.
 */
import type { Json } from '@lockstep/base'
import type { ExpressionScope } from '../expression/scope.ts'
import { applyFact } from '../graph/apply-fact.ts'
import { nearestError, turnOf, visibleSteps } from '../graph/expression-scope.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import { type GraphState, initialState } from '../graph/graph-state.ts'
import { foldFrom } from '../graph/migrate/replace-state.ts'
import { factFromRow, type StepKey } from '../journal/fact.ts'
import type { JournalRow } from '../store/instance-reader.ts'
import { factsUpTo, type StateAtContext } from './state-at.ts'

export interface ScopeRequest {
  /** Number of the last fact that counts. Absent: the newest. */
  readonly at?: number | undefined
  /** Activity whose expressions look. Absent: none in particular. */
  readonly activity?: string | undefined
}

export interface ScopeAt {
  /** Number of the fact that it follows. */
  readonly seq: number
  /** Whether it is what the step itself saw. */
  readonly exact: boolean
  readonly scope: ExpressionScope
}

export async function scopeAt(
  context: StateAtContext,
  tenant: string,
  instanceId: string,
  { at, activity }: ScopeRequest = {},
): Promise<ScopeAt> {
  const { view, rows, program } = await factsUpTo(context, tenant, instanceId, at)
  if (program?.kind !== 'graph')
    return { seq: rows.at(-1)!.seq, exact: false, scope: { input: view.input as Json, vars: {}, steps: {} } }
  const began = activity === undefined ? undefined : lastBeginning(program.graph, rows, activity)
  return began === undefined ? outermost(program.graph, rows) : seenBy(program.graph, rows, began)
}

interface Beginning {
  readonly step: StepKey
  readonly seq: number
}

/** Looked for fact by fact: a step that ends within one commit is alive only between two of them. */
function lastBeginning(program: GraphProgram, rows: readonly JournalRow[], activity: string): Beginning | undefined {
  if (!program.byId.has(activity)) return undefined
  let found: Beginning | undefined
  for (const { state, seq } of folded(program, rows)) {
    for (const [step, execution] of Object.entries(state.executions))
      if (execution.activity === activity && step !== found?.step) found = { step, seq }
  }
  return found
}

function seenBy(program: GraphProgram, rows: readonly JournalRow[], { step, seq }: Beginning): ScopeAt {
  const state = stateAfter(program, rows, seq)!
  const execution = state.executions[step]!
  const scope = state.scopes[execution.scope]!
  const error = nearestError(state, scope)
  const isWhile = program.byId.get(execution.activity)!.container === 'while'
  return {
    seq,
    exact: true,
    scope: {
      ...common(state),
      steps: visibleSteps(state, state.scopes[scope.frame]!, { reads: 'all' }),
      ...turnOf(state, execution, isWhile),
      ...(error && { error: error as unknown as Json }),
    },
  }
}

/** What has ended keeps no scopes: then as it was just before. */
function outermost(program: GraphProgram, rows: readonly JournalRow[]): ScopeAt {
  const seq = [...folded(program, rows)].findLast(({ hasRoot }) => hasRoot)?.seq ?? rows.at(-1)!.seq
  const state = stateAfter(program, rows, seq)!
  const steps = (state.scopes['']?.steps ?? {}) as unknown as ExpressionScope['steps']
  return { seq, exact: false, scope: { ...common(state), steps } }
}

const common = ({ input, variables, correlationId }: GraphState): Omit<ExpressionScope, 'steps'> => ({
  input,
  vars: variables,
  ...(correlationId === undefined ? {} : { correlationId }),
})

interface Folded {
  readonly state: GraphState
  readonly seq: number
  readonly hasRoot: boolean
}

function* folded(program: GraphProgram, rows: readonly JournalRow[]): Generator<Folded> {
  const from = foldFrom(rows)
  const state = initialState(program)
  if (from > 0) state.seq = rows[from]!.seq - 1
  for (const row of rows.slice(from)) {
    applyFact(program, state, factFromRow(row), row.at)
    yield { state, seq: row.seq, hasRoot: state.scopes[''] !== undefined }
  }
}

function stateAfter(program: GraphProgram, rows: readonly JournalRow[], seq: number): GraphState | undefined {
  for (const each of folded(program, rows)) if (each.seq === seq) return each.state
  return undefined
}
