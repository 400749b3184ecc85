import type { DesignView } from '../model/index.ts'

/** Without those that hide one of `keys`: what is looked for can be seen. */
export function unfoldedFor(
  view: DesignView,
  folded: ReadonlySet<string>,
  keys: Iterable<string>,
): ReadonlySet<string> {
  if (folded.size === 0) return folded
  const open = new Set(folded)
  for (const key of keys) {
    let holder = view.bodies.get(view.steps.get(key)?.body ?? '')?.step
    for (; holder !== undefined; holder = view.bodies.get(view.steps.get(holder)?.body ?? '')?.step) open.delete(holder)
  }
  return open.size === folded.size ? folded : open
}
