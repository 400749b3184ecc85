/**
 * Joins. A token that comes to an activity with several incoming connections is kept in `pending`, or runs it.
 *
 * `all`: waits while anything alive in the scope can still reach the activity: an execution (running, waiting, in
 * retry), or another pending join. Two pending joins on one cycle would wait for each other for ever, so there the
 * one whose first token came earlier does not wait for the later one. That leaves always one that can fire: among
 * pending joins that no other group reaches, the earliest has nothing to wait for. Tokens that came meanwhile are merged.
 *
 * `any`: runs on the first token. Every other branch alive at that moment which leads to the join, and which the join
 * does not lead back to, has lost the race: it carries `lostTo`, passes it to what follows from it, and ends on arrival.
 * A merge of lost and other branches has not lost. Branches that begin later, and all tokens inside a cycle through the
 * join, run it again. So without cycles it runs once, and a cycle never starves.
 */
import { type CompiledActivity, type GraphProgram, reaches } from './graph-program.ts'
import type { GraphState, PendingJoin, ScopeKey, ScopeState } from './graph-state.ts'
import { activate } from './tokens.ts'

/** A token came to an `all` join. */
export function arriveAtAll(
  program: GraphProgram,
  state: GraphState,
  scope: ScopeState,
  target: CompiledActivity,
  lostTo: readonly string[] | undefined,
): void {
  const found = scope.pending.find((join) => join.activity === target.id)
  if (found !== undefined) {
    keepCommon(found, lostTo)
    return
  }
  let blockers = 0
  for (const step of scope.live) {
    if (reaches(program.byId.get(state.executions[step]!.activity)!, target)) blockers++
  }
  for (const earlier of scope.pending) {
    const other = program.byId.get(earlier.activity)!
    const blocks = reaches(other, target)
    if (blocks) blockers++
    if (reaches(target, other) && !blocks) earlier.blockers++
  }
  scope.pending.push({ activity: target.id, blockers, ...(lostTo && { lostTo }) })
}

/** Runs every join that has nothing left to wait for, earliest first. */
export function fireJoins(program: GraphProgram, state: GraphState, scopeKey: ScopeKey, scope: ScopeState): void {
  for (;;) {
    const at = scope.pending.findIndex((join) => join.blockers === 0)
    if (at < 0) return
    const [join] = scope.pending.splice(at, 1)
    const target = program.byId.get(join!.activity)!
    // An earlier one on a cycle with it cannot be here: it would have fired first.
    for (const other of scope.pending) {
      if (reaches(target, program.byId.get(other.activity)!)) other.blockers--
    }
    activate(program, state, scopeKey, target, stillLost(program, join!.lostTo, target))
  }
}

/** After an `any` join ran: whoever else was on the way to it has lost. */
export function markLosers(program: GraphProgram, state: GraphState, scope: ScopeState, join: CompiledActivity): void {
  for (const step of scope.live) {
    const execution = state.executions[step]!
    if (isRival(program.byId.get(execution.activity)!, join)) execution.lostTo = adding(execution.lostTo, join.id)
  }
  for (const pending of scope.pending) {
    if (isRival(program.byId.get(pending.activity)!, join)) pending.lostTo = adding(pending.lostTo, join.id)
  }
}

/** What a token at `target` has still to carry; nothing is kept of races it cannot come back to. */
export function stillLost(
  program: GraphProgram,
  lostTo: readonly string[] | undefined,
  target: CompiledActivity,
): readonly string[] | undefined {
  if (lostTo === undefined) return undefined
  const kept = lostTo.filter((id) => reaches(target, program.byId.get(id)!))
  return kept.length === 0 ? undefined : kept
}

const isRival = (branch: CompiledActivity, join: CompiledActivity): boolean =>
  reaches(branch, join) && !reaches(join, branch)

const adding = (lostTo: readonly string[] | undefined, id: string): readonly string[] =>
  lostTo === undefined ? [id] : lostTo.includes(id) ? lostTo : [...lostTo, id]

function keepCommon(join: PendingJoin, lostTo: readonly string[] | undefined): void {
  const common = join.lostTo?.filter((id) => lostTo?.includes(id))
  if (common !== undefined && common.length > 0) join.lostTo = common
  else delete join.lostTo
}
