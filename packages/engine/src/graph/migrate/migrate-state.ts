import type { Json } from '@lockstep/base'
import type { StepKey } from '../../journal/fact.ts'
import { type GraphProgram, reaches } from '../graph-program.ts'
import type { ContainerState, ExecutionState, GraphState, OpenWait, PendingJoin, ScopeState } from '../graph-state.ts'
import { ownMember, setMember } from '../own-member.ts'
import { childrenUndo } from '../saga/undo-reads.ts'
import { type ActivityMapping, StepNames } from './rename-steps.ts'

/**
 * The instance in terms of another version: the same steps are alive, under their new names. Pure; `checkMigration` has found nothing.
 * Counters of joins are made anew, because the connections may be others. Results of steps that the new version does not have are let go.
 */
export function migrateState(
  from: GraphProgram,
  to: GraphProgram,
  state: GraphState,
  mapping: ActivityMapping,
): GraphState {
  const names = new StepNames(mapping)
  const next: GraphState = {
    ...structuredClone(state),
    variables: variablesOf(to, state),
    executions: renamed(
      state.executions,
      (step) => names.key(step),
      (each) => execution(to, each, names),
    ),
    scopes: renamed(
      state.scopes,
      (key) => names.key(key),
      (each) => scope(from, to, each, names),
    ),
    waits: renamed(
      state.waits,
      (step) => names.key(step),
      (each) => openWait(to, state, each, names),
    ),
    unstamped: state.unstamped.map((step) => names.key(step)),
    ready: [],
    cancelled: [],
  }
  if (state.compensations !== undefined)
    next.compensations = renamed(
      state.compensations,
      (step) => names.key(step),
      (each) => ({
        ...each,
        activity: names.activity(each.activity),
        ...(each.captured && {
          captured: {
            ...each.captured,
            steps: renamed(
              each.captured.steps,
              (id) => names.activity(id),
              (record) => record,
            ),
          },
        }),
      }),
    )
  for (const each of Object.values(next.scopes)) countBlockers(to, next, each)
  return next
}

/** Steps that have another key now: their bookmarks and messages must follow. */
export function renamedSteps(state: GraphState, mapping: ActivityMapping): { from: StepKey; to: StepKey }[] {
  const names = new StepNames(mapping)
  return Object.keys(state.executions)
    .map((from) => ({ from, to: names.key(from) }))
    .filter(({ from, to }) => from !== to)
}

/** New variables begin with their default. Those that are no longer declared are gone. */
function variablesOf(to: GraphProgram, state: GraphState): Record<string, Json> {
  const variables: Record<string, Json> = {}
  for (const [name, initial] of to.variables) setMember(variables, name, ownMember(state.variables, name) ?? initial)
  return variables
}

function execution(to: GraphProgram, each: ExecutionState, names: StepNames): ExecutionState {
  const { lostTo, container, undo: _, ...rest } = structuredClone(each) as ExecutionState
  const activity = names.activity(each.activity)
  const { undo } = to.byId.get(activity)!
  const races = lostTo?.map((id) => names.activity(id)).filter((id) => to.byId.has(id))
  return {
    ...rest,
    activity,
    scope: names.key(each.scope),
    ...(races !== undefined && races.length > 0 ? { lostTo: races } : {}),
    ...(container && { container: containerOf(container, names) }),
    ...(undo === undefined ? {} : { undo }),
  }
}

function openWait(to: GraphProgram, state: GraphState, each: OpenWait, names: StepNames): OpenWait {
  const { undo: before, ...rest } = structuredClone(each)
  const { activity } = state.executions[each.step]!
  const undo = before && childrenUndo(to.byId.get(names.activity(activity)))
  return { ...rest, step: names.key(each.step), ...(undo !== undefined && { undo }) }
}

function containerOf(container: ContainerState, names: StepNames): ContainerState {
  return 'collect' in container && container.collect !== undefined
    ? { ...container, collect: names.activity(container.collect) }
    : container
}

function scope(from: GraphProgram, to: GraphProgram, each: ScopeState, names: StepNames): ScopeState {
  const { counts, steps, pending, ...rest } = structuredClone(each)
  const graph = names.key(each.graph)
  const runs = renamed(
    counts ?? {},
    (id) => names.activity(id),
    (count) => count,
  )
  const old = new Map([...from.byId.keys()].map((id) => [names.activity(id), id]))
  for (const { id, repeats } of to.scopes.get(graph)!.activities) {
    // It may have run before without being counted. A run that is counted too many costs a number, one too few a key that was used.
    const before = old.get(id)
    if (repeats && before !== undefined && runs[id] === undefined && !from.byId.get(before)!.repeats) runs[id] = 1
  }
  return {
    ...rest,
    graph,
    owner: names.key(each.owner),
    frame: names.key(each.frame),
    live: each.live.map((step) => names.key(step)),
    pending: pending.map((join): PendingJoin => {
      const lostTo = join.lostTo?.map((id) => names.activity(id)).filter((id) => to.byId.has(id))
      return {
        activity: names.activity(join.activity),
        blockers: 0,
        ...(lostTo !== undefined && lostTo.length > 0 ? { lostTo } : {}),
      }
    }),
    ...(Object.keys(runs).length === 0 ? {} : { counts: runs }),
    ...(steps && {
      steps: known(
        renamed(
          steps,
          (id) => names.activity(id),
          (record) => record,
        ),
        to,
      ),
    }),
  }
}

/** As if the tokens had come to their joins in the same order in the new version; see `arriveAtAll`. */
function countBlockers(to: GraphProgram, state: GraphState, { live, pending }: ScopeState): void {
  pending.forEach((join, index) => {
    const target = to.byId.get(join.activity)!
    join.blockers = live.filter((step) => reaches(to.byId.get(state.executions[step]!.activity)!, target)).length
    pending.forEach((other, place) => {
      const blocker = to.byId.get(other.activity)!
      if (other === join || !reaches(blocker, target)) return
      // Of two on one cycle the earlier one does not wait.
      if (place < index || !reaches(target, blocker)) join.blockers += 1
    })
  })
}

function known<V>(steps: Record<string, V>, to: GraphProgram): Record<string, V> {
  const kept: Record<string, V> = {}
  for (const [id, record] of Object.entries(steps)) if (to.byId.has(id)) setMember(kept, id, record)
  return kept
}

function renamed<V, W>(
  record: Readonly<Record<string, V>>,
  name: (key: string) => string,
  value: (each: V) => W,
): Record<string, W> {
  const result: Record<string, W> = {}
  for (const [key, each] of Object.entries(record)) setMember(result, name(key), value(each))
  return result
}
