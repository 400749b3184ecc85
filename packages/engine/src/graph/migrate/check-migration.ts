import { type GraphProgram, reaches } from '../graph-program.ts'
import type { GraphState, ScopeState } from '../graph-state.ts'
import type { MigrationProblem } from './migration-problem.ts'
import { type ActivityMapping, StepNames } from './rename-steps.ts'

/** What of a mapping makes no sense, whatever an instance does. */
export function* checkMapping(
  from: GraphProgram,
  to: GraphProgram,
  mapping: ActivityMapping,
): Generator<MigrationProblem> {
  const taken = new Map<string, string>()
  for (const [old, next] of Object.entries(mapping)) {
    if (!from.byId.has(old))
      yield problem('UNKNOWN_ACTIVITY', old, `The old version has no activity "${old}": take it out of the mapping`)
    if (!to.byId.has(next))
      yield problem(
        'UNKNOWN_ACTIVITY',
        next,
        `The new version has no activity "${next}": map "${old}" to one that exists`,
      )
    const other = taken.get(next)
    if (other !== undefined)
      yield problem(
        'UNKNOWN_ACTIVITY',
        next,
        `"${other}" and "${old}" cannot both become "${next}": map one of them elsewhere`,
      )
    taken.set(next, old)
  }
}

/** Everything that is alive in the instance must have a counterpart that can go on with it. */
export function* checkMigration(
  from: GraphProgram,
  to: GraphProgram,
  state: GraphState,
  mapping: ActivityMapping,
): Generator<MigrationProblem> {
  const names = new StepNames(mapping)
  const places = placesOf(to)
  if (state.undoing !== undefined || (state.undoers ?? []).length > 0)
    yield problem('BEING_UNDONE', '', 'Its steps are being undone: wait for that to end')
  for (const [step, { activity, scope }] of Object.entries(state.executions)) {
    const id = names.activity(activity)
    const next = to.byId.get(id)
    if (next === undefined)
      yield problem(
        'NO_COUNTERPART',
        step,
        `It is at "${activity}", and the new version has no "${id}": map "${activity}" to an activity of it`,
      )
    else if (places.get(id) !== names.key(state.scopes[scope]?.graph ?? ''))
      yield problem('OTHER_PLACE', step, `"${id}" stands in another body than "${activity}" did: it cannot go on there`)
  }
  yield* checkTypes(from, to, state, names)
  for (const scope of Object.values(state.scopes)) yield* checkScope(to, state, scope, names)
  for (const [step, { activity, phase }] of Object.entries(state.compensations ?? {})) {
    if (phase !== 'undone' && to.byId.get(names.activity(activity))?.parts.compensate === undefined)
      yield problem(
        'NO_COUNTERPART',
        step,
        `"${step}" can be undone, and "${names.activity(activity)}" of the new version cannot`,
      )
  }
}

/** What has begun is continued by an activity of the same type; one that has only to begin may be of any. */
function* checkTypes(
  from: GraphProgram,
  to: GraphProgram,
  state: GraphState,
  names: StepNames,
): Generator<MigrationProblem> {
  for (const [step, { activity, phase, container, announced }] of Object.entries(state.executions)) {
    const next = to.byId.get(names.activity(activity))
    const old = from.byId.get(activity)
    if (next === undefined || old === undefined) continue
    const hasBegun = phase === 'waiting' || container !== undefined || announced !== undefined
    if (hasBegun && next.type.type !== old.type.type)
      yield problem(
        'OTHER_TYPE',
        step,
        `"${activity}" has begun as ${old.type.type}, and "${next.id}" is ${next.type.type}: it cannot go on as that`,
      )
  }
}

function* checkScope(
  to: GraphProgram,
  state: GraphState,
  scope: ScopeState,
  names: StepNames,
): Generator<MigrationProblem> {
  const graph = names.key(scope.graph)
  if (!to.scopes.has(graph)) {
    yield problem('NO_COUNTERPART', scope.graph, `It is inside "${scope.graph}", and the new version has no "${graph}"`)
    return
  }
  for (const { activity } of scope.pending) {
    const id = names.activity(activity)
    const join = to.byId.get(id)
    if (join === undefined)
      yield problem(
        'NO_COUNTERPART',
        activity,
        `Branches wait for each other at "${activity}", and the new version has no "${id}"`,
      )
    else if (join.join !== 'all')
      yield problem(
        'NOT_A_JOIN',
        activity,
        `Branches wait for each other at "${activity}", and "${id}" of the new version does not wait for several`,
      )
    else if (!scope.live.some((step) => leadsTo(to, state, step, names, id)))
      yield problem(
        'JOIN_WITHOUT_BRANCHES',
        activity,
        `"${id}" waits for branches that no longer lead to it in the new version`,
      )
  }
}

function leadsTo(to: GraphProgram, state: GraphState, step: string, names: StepNames, join: string): boolean {
  const from = to.byId.get(names.activity(state.executions[step]?.activity ?? ''))
  const target = to.byId.get(join)
  return from !== undefined && target !== undefined && reaches(from, target)
}

/** Which graph each activity stands in. */
function placesOf(program: GraphProgram): ReadonlyMap<string, string> {
  const places = new Map<string, string>()
  for (const [id, { activities }] of program.scopes) for (const activity of activities) places.set(activity.id, id)
  return places
}

const problem = (code: MigrationProblem['code'], at: string, text: string): MigrationProblem => ({ code, at, text })
