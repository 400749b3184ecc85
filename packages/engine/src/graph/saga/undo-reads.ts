import type { CompiledActivity, CompiledScope } from '../graph-program.ts'

const known = new WeakMap<CompiledScope, readonly string[] | 'all'>()

/** Steps that the compensation of an activity reads, its own record among them where it does. */
export function undoReads(activity: CompiledActivity): readonly string[] | 'all' {
  return readsOf(activity.parts.compensate!)
}

/** The same, and what the inputs of the activity itself read: it may have to run once more before it can be undone. */
export function lateReads(activity: CompiledActivity): readonly string[] | 'all' {
  const later = undoReads(activity)
  return later === 'all' || activity.reads === 'all' ? 'all' : [...new Set([...activity.reads, ...later])]
}

/** What is kept for a step that waits for children until it can be undone. `undefined`: it cannot. */
export function childrenUndo(activity: CompiledActivity | undefined): readonly string[] | 'all' | undefined {
  return activity?.parts.compensate && undoReads(activity)
}

function readsOf(scope: CompiledScope): readonly string[] | 'all' {
  const found = known.get(scope)
  if (found !== undefined) return found
  const names = new Set<string>()
  let all = false
  for (const activity of scope.activities) {
    for (const reads of [activity.reads, ...partsOf(activity).map(readsOf)]) {
      if (reads === 'all') all = true
      else for (const name of reads) names.add(name)
    }
  }
  const reads = all ? 'all' : [...names]
  known.set(scope, reads)
  return reads
}

function partsOf({ parts }: CompiledActivity): CompiledScope[] {
  const { body, branches = [], catch: caught, finally: last } = parts
  return [body, caught, last, ...branches].filter((part) => part !== undefined)
}
