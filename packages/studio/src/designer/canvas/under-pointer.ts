import { bodiesOf, type DesignView, type Position, ROOT } from '../model/index.ts'
import { isFrame } from './geometry.ts'

/** The line under a point of the screen. */
export function lineAt({ x, y }: Position): string | undefined {
  const found = document.elementsFromPoint(x, y).find((element) => element.closest('.react-flow__edge') !== null)
  return found?.closest('.react-flow__edge')?.getAttribute('data-id') ?? undefined
}

/** The innermost body under a point of the screen, but for those inside `moved` or in a folded container. */
export function bodyAt(
  { x, y }: Position,
  view: DesignView,
  moved: ReadonlySet<string>,
  folded: ReadonlySet<string>,
): string {
  const inMoved = (body: string): boolean => {
    const holder = view.bodies.get(body)?.step
    return holder !== undefined && (moved.has(holder) || inMoved(view.steps.get(holder)?.body ?? ROOT))
  }
  for (const element of document.elementsFromPoint(x, y)) {
    const id = element.closest('.react-flow__node')?.getAttribute('data-id')
    if (id == null) continue
    if (view.bodies.has(id) && !inMoved(id)) return id
    const bodies = bodiesOf(view, id)
    if (isFrame(bodies) && !moved.has(id) && !folded.has(id) && !inMoved(bodies[0]!.key)) return bodies[0]!.key
  }
  return ROOT
}
