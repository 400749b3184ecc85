import { type ConnectionDocument, DEFAULT_OUTCOME } from './document.ts'
import type { GraphExpression } from './graph-expression.ts'
import { type CompiledActivity, type CompiledScope, reaches } from './graph-program.ts'
import { reachability } from './reachability.ts'

/** While a program is being built, its parts may still change. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] }

/** Turns the connections of one graph into tables: targets by outcome, joins, reachability, starts. */
export function connectScope<E extends GraphExpression>(
  id: string,
  activities: readonly Draft<CompiledActivity<E>>[],
  connections: readonly ConnectionDocument[],
  isFrame: boolean,
): CompiledScope<E> {
  const byId = new Map(activities.map((activity) => [activity.id, activity]))
  const incoming = new Map<CompiledActivity<E>, number>()
  const outgoing: Set<number>[] = activities.map(() => new Set())
  const tables = activities.map(() => new Map<string, CompiledActivity<E>[]>())
  activities.forEach((activity, local) => {
    activity.local = local
    activity.targets = tables[local]!
  })

  for (const { from, outcome = DEFAULT_OUTCOME, to } of connections) {
    const source = byId.get(from)
    const target = byId.get(to)
    if (source === undefined || target === undefined) continue
    const targets = tables[source.local]!.get(outcome) ?? []
    if (targets.includes(target)) continue
    targets.push(target)
    tables[source.local]!.set(outcome, targets)
    incoming.set(target, (incoming.get(target) ?? 0) + 1)
    outgoing[source.local]!.add(target.local)
  }

  for (const activity of activities) if ((incoming.get(activity) ?? 0) < 2) activity.join = 'none'
  const joins = activities.filter((activity) => activity.join !== 'none')
  if (joins.length > 0) {
    const rows = reachability(outgoing.map((targets) => [...targets]))
    for (const activity of activities) activity.reach = rows[activity.local]!
    for (const activity of activities) {
      // Every cycle that can be entered has a join on it, so only joins and what follows them can run again.
      activity.repeats = activity.join !== 'none' || joins.some((join) => reaches(join, activity))
    }
  }

  const starts = activities.filter((activity) => !incoming.has(activity))
  return {
    id,
    activities,
    starts: starts.filter((activity) => activity.type.kind !== 'trigger'),
    triggers: starts.filter((activity) => activity.type.kind === 'trigger'),
    isFrame,
  }
}
