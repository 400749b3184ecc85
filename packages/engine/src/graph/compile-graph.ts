import { parseDuration } from '@lockstep/base'
import { type ActivityCatalogue, keepsSteps } from '../activity/activity-type.ts'
import { secretPlaces } from '../secret/secret-places.ts'
import { compilePolicies } from '../step/compile-policies.ts'
import { resolveRetry } from '../step/retry-policy.ts'
import { connectScope, type Draft } from './connect-scope.ts'
import type { ActivityDocument, GraphBody, GraphDocument } from './document.ts'
import { EffectNotSupported, UnknownActivityType } from './graph-errors.ts'
import { type GraphExpression, stepsRead } from './graph-expression.ts'
import type { CompiledActivity, CompiledScope, GraphProgram } from './graph-program.ts'
import { compileCases, compileTemplate } from './input-template.ts'
import { readBesides } from './read-besides.ts'
import { lateReads } from './saga/undo-reads.ts'

/** Prepares a document that `validateDocument` found free of errors. Done once per version. */
export function compileGraph<E extends GraphExpression>(
  document: GraphDocument,
  catalogue: ActivityCatalogue,
  compileExpression: (source: string) => E,
): GraphProgram<E> {
  const activities: Draft<CompiledActivity<E>>[] = []
  const scopes = new Map<string, CompiledScope<E>>()

  function compileScope(id: string, body: GraphBody, isFrame: boolean): CompiledScope<E> {
    const own = body.activities.map((activity) => compileActivity(activity))
    const scope = connectScope(id, own, body.connections ?? [], isFrame)
    scopes.set(id, scope)
    return scope
  }

  function compileActivity(activity: ActivityDocument): Draft<CompiledActivity<E>> {
    const type = catalogue.get(activity.type)
    if (type === undefined) throw new UnknownActivityType({ type: activity.type, activity: activity.id })
    const effect = type.runs === 'transaction' ? 'transactional' : (activity.effect ?? 'atLeastOnce')
    if (effect === 'transactional' && type.runs !== 'transaction')
      throw new EffectNotSupported({ type: activity.type, activity: activity.id, effect })
    const inputs = compileTemplate(activity.inputs ?? {}, compileExpression)
    const policies = compilePolicies(activity, compileExpression)
    const compiled: Draft<CompiledActivity<E>> = {
      id: activity.id,
      type,
      name: activity.name ?? activity.id,
      inputs,
      cases: type.outcomesFrom === 'cases' ? compileCases(activity.inputs ?? {}, compileExpression) : undefined,
      secrets: secretPlaces(activity.inputs ?? {}, type),
      retry: resolveRetry(activity.retry),
      timeoutMs: activity.timeout === undefined ? undefined : parseDuration(activity.timeout),
      policies,
      effect,
      onError: activity.onError ?? 'fault',
      container: type.container,
      parts: {},
      undo: undefined,
      targets: new Map(),
      join: activity.join ?? 'all',
      local: 0,
      reach: new Uint32Array(0),
      repeats: false,
      isRead: false,
      reads: type.seesScope
        ? 'all'
        : stepsReadBy([
            ...inputs.expressions,
            ...(policies?.names.expressions ?? []),
            ...readBesides(type, activity.inputs),
          ]),
    }
    activities.push(compiled)
    compiled.parts = compileParts(activity)
    if (compiled.parts.compensate !== undefined && (type.runs === 'effect' || type.runs === 'transaction'))
      compiled.undo = lateReads(compiled)
    return compiled
  }

  function compileParts(activity: ActivityDocument): CompiledActivity<E>['parts'] {
    const { id, body, branches } = activity
    return {
      ...(body && { body: compileScope(`${id}:body`, body, keepsSteps(catalogue.get(activity.type))) }),
      ...(branches && { branches: branches.map((branch, n) => compileScope(`${id}:branch:${n}`, branch, false)) }),
      ...(activity.catch && { catch: compileScope(`${id}:catch`, activity.catch, false) }),
      ...(activity.finally && { finally: compileScope(`${id}:finally`, activity.finally, false) }),
      ...(activity.compensate && { compensate: compileScope(`${id}:compensate`, activity.compensate, true) }),
    }
  }

  const root = compileScope('', document, true)
  markRead(activities)
  return {
    id: document.id,
    activities,
    byId: new Map(activities.map((activity) => [activity.id, activity])),
    root,
    scopes,
    compensates: activities.some(({ parts }) => parts.compensate !== undefined),
    variables: new Map(
      Object.entries(document.variables ?? {}).map(([name, { default: value = null }]) => [name, value]),
    ),
  }
}

function stepsReadBy(expressions: readonly Pick<GraphExpression, 'references'>[]): readonly string[] | 'all' {
  const names = new Set<string>()
  for (const { references } of expressions) {
    const read = stepsRead(references)
    if (read === 'all') return 'all'
    for (const name of read) names.add(name)
  }
  return [...names]
}

function markRead(activities: readonly Draft<CompiledActivity>[]): void {
  const all = activities.some((activity) => activity.reads === 'all')
  const read = new Set(activities.flatMap((activity) => (activity.reads === 'all' ? [] : activity.reads)))
  for (const activity of activities) activity.isRead = all || read.has(activity.id)
}
