import type { Json, JsonObject } from '@lockstep/base'
import type { ActivityCatalogue } from '../../activity/activity-type.ts'
import { fieldChanges } from './field-changes.ts'
import { type Renames, renameScope } from './find-renames.ts'
import type { FlatActivity, FlatGraph } from './flat-graph.ts'
import type { ActivityAspect, ActivityChange } from './graph-change.ts'
import { judgeAdded, judgeAspect, judgeRemoved, judgeRenamed } from './judge.ts'

/** Those that are gone in the order of the old document, then the others in the order of the new one. */
export function* diffActivities(
  before: FlatGraph,
  after: FlatGraph,
  renames: Renames,
  catalogue: ActivityCatalogue | undefined,
): Generator<ActivityChange> {
  const previous = new Map([...renames].map(([old, fresh]) => [fresh, old]))
  const targets = new Set([...after.connections.values()].map(({ scope, to }) => `${scope}\n${to}`))
  for (const each of before.activities.values()) {
    if (after.activities.has(each.id) || renames.has(each.id)) continue
    const isContainer = Object.keys(each.parts).length > 0
    yield { ...presence(each, 'removed', renameScope(each.scope, renames)), ...judgeRemoved(each.id, isContainer) }
  }
  for (const each of after.activities.values()) {
    const previousId = previous.get(each.id)
    const old = before.activities.get(previousId ?? each.id)
    if (old === undefined) {
      const isNewGraph = each.owner !== undefined && !before.activities.has(previous.get(each.owner) ?? each.owner)
      const isStart = !isNewGraph && !targets.has(`${each.scope}\n${each.id}`)
      yield { ...presence(each, 'added', each.scope), ...judgeAdded(each.id, isStart) }
      continue
    }
    if (previousId !== undefined) {
      yield {
        subject: 'activity',
        change: 'renamed',
        id: each.id,
        previousId,
        pointer: each.pointer,
        ...judgeRenamed(previousId, each.id),
      }
    }
    yield* changesOf({ ...old, scope: renameScope(old.scope, renames) }, each, catalogue)
  }
}

function presence({ id, pointer, own, parts }: FlatActivity, change: 'added' | 'removed', scope: string) {
  return { subject: 'activity', change, id, pointer, scope, activity: { ...own, ...parts } as Json } as const
}

function* changesOf(
  old: FlatActivity,
  now: FlatActivity,
  catalogue: ActivityCatalogue | undefined,
): Generator<ActivityChange> {
  const { id, pointer } = now
  const type = String(now.own.type)
  for (const aspect of ASPECTS) {
    const fields = fieldChanges(side(aspect, old), side(aspect, now))
    if (fields.length === 0) continue
    const judgement = judgeAspect(aspect, id, type, fields, catalogue)
    yield { subject: 'activity', change: 'changed', id, aspect, pointer, fields, ...judgement }
  }
}

const ASPECTS: readonly ActivityAspect[] = ['place', 'type', 'parts', 'inputs', 'policy', 'text']
const NOT_POLICY: Readonly<Record<string, ActivityAspect>> = {
  type: 'type',
  inputs: 'inputs',
  name: 'text',
  description: 'text',
}

/** What an activity says about one aspect. Members that have no aspect of their own are policies. */
function side(aspect: ActivityAspect, { scope, own, parts }: FlatActivity): JsonObject {
  if (aspect === 'place') return { scope }
  if (aspect === 'parts') return parts
  return Object.fromEntries(Object.entries(own).filter(([name]) => (NOT_POLICY[name] ?? 'policy') === aspect))
}
