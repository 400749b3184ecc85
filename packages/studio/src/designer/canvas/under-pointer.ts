import { bodiesOf, type DesignView, type Position, ROOT } from '../model/index.ts'
import type { DesignNode } from './canvas-nodes.ts'
import { isFrame } from './geometry.ts'
import type { Box } from './snap.ts'

/** The line under a point of the screen. */
export function lineAt({ x, y }: Position): string | undefined {
  const found = document.elementsFromPoint(x, y).find((element) => element.closest('.react-flow__edge') !== null)
  return found?.closest('.react-flow__edge')?.getAttribute('data-id') ?? undefined
}

/**
 * The innermost body under a point of the drawing, but for those of `moved` steps, of what is inside them, and of folded containers. Reckoned
 * from what is drawn, not asked of the page: parts of containers take no pointer, so the page does not tell of them.
 */
export function bodyAt(
  point: Position,
  nodes: ReadonlyMap<string, DesignNode>,
  view: DesignView,
  moved: ReadonlySet<string>,
): string {
  let found = { body: ROOT, depth: -1 }
  for (const node of nodes.values()) {
    if (node.type !== 'container' || node.data.inside !== undefined) continue
    const around = chainOf(nodes, node)
    if (around.length < found.depth || around.some(({ id }) => moved.has(id))) continue
    const box = boxOf(nodes, node)
    if (distance(point, box) > 0) continue
    const bodies = bodiesOf(view, node.id)
    const [nearest] = isFrame(bodies)
      ? bodies
      : bodies
          .flatMap((body) => {
            const part = nodes.get(body.key)
            return part === undefined ? [] : [{ ...body, far: distance(point, boxOf(nodes, part)) }]
          })
          .sort((a, b) => a.far - b.far)
    if (nearest !== undefined) found = { body: nearest.key, depth: around.length }
  }
  return found.body
}

/** The node and all that it lies in. */
function chainOf(nodes: ReadonlyMap<string, DesignNode>, node: DesignNode): readonly DesignNode[] {
  const chain = [node]
  for (let each = node.parentId && nodes.get(node.parentId); each; each = each.parentId && nodes.get(each.parentId))
    chain.push(each)
  return chain
}

function boxOf(nodes: ReadonlyMap<string, DesignNode>, node: DesignNode): Box {
  const chain = chainOf(nodes, node)
  const sum = (axis: 'x' | 'y'): number => chain.reduce((all, { position }) => all + position[axis], 0)
  return { x: sum('x'), y: sum('y'), width: node.width ?? 0, height: node.height ?? 0 }
}

/** 0: inside. */
const distance = ({ x, y }: Position, box: Box): number =>
  Math.max(box.x - x, x - box.x - box.width, 0) + Math.max(box.y - y, y - box.y - box.height, 0)
