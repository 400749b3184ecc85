import type { Activity, GraphBody } from '../api/wire.ts'
import { partsOf } from '../canvas/canvas-model.ts'

/** Steps that may have ended when this one begins: what leads to it, in its graph and in those around it. In the order of the document. */
export function upstreamOf(document: GraphBody, step: string): readonly Activity[] {
  const around = pathTo(document, step)
  return around.flatMap(({ body, id }) => {
    const before = leadingTo(body, id)
    return body.activities.filter((activity) => before.has(activity.id))
  })
}

/** Whether the step runs in turns: it sees `item` and `index`. */
export const isInLoop = (document: GraphBody, step: string): boolean =>
  pathTo(document, step)
    .slice(0, -1)
    .some(({ body, id }) => /^(for|for-each|while)$/.test(body.activities.find((each) => each.id === id)?.type ?? ''))

interface Level {
  readonly body: GraphBody
  /** The step, or the container that holds it. */
  readonly id: string
}

function pathTo(body: GraphBody, step: string): readonly Level[] {
  for (const activity of body.activities) {
    if (activity.id === step) return [{ body, id: step }]
    for (const [, part] of partsOf(activity)) {
      const inside = pathTo(part, step)
      if (inside.length > 0) return [{ body, id: activity.id }, ...inside]
    }
  }
  return []
}

function leadingTo({ connections = [] }: GraphBody, id: string): ReadonlySet<string> {
  const seen = new Set([id])
  for (const at of seen) for (const { from, to } of connections) if (to === at) seen.add(from)
  // In a loop of connections it comes before itself; that is not worth offering.
  seen.delete(id)
  return seen
}
