import type { ReactFlowInstance } from '@xyflow/react'
import type { DesignView, Position } from '../model/index.ts'
import type { DesignNode, LineEdge } from './canvas-nodes.ts'
import { originOf } from './geometry.ts'
import { keptViewport, showsAny } from './kept-viewport.ts'
import type { Box } from './snap.ts'

const LEAST_ZOOM = 0.55

/** Where somebody looked last, when there is still something to see; else the start. */
export async function showAgain(
  flow: ReactFlowInstance<DesignNode, LineEdge>,
  nodes: readonly DesignNode[],
  definitionId: string | undefined,
): Promise<void> {
  const kept = definitionId === undefined ? undefined : keptViewport(definitionId)
  const { width, height } = document.querySelector('[data-designer-canvas]')!.getBoundingClientRect()
  const outer = nodes.filter(({ parentId }) => parentId === undefined)
  const boxes = outer.map(({ position, width: w = 0, height: h = 0 }) => ({ ...position, width: w, height: h }))
  if (kept !== undefined && showsAny(kept, { width, height }, boxes)) await flow.setViewport(kept)
  else await showStart(flow, nodes)
}

/** All of it, when that can be read; else where it starts. */
async function showStart(flow: ReactFlowInstance<DesignNode, LineEdge>, nodes: readonly DesignNode[]): Promise<void> {
  if (nodes.length === 0) return
  const box = document.querySelector('[data-designer-canvas]')!.getBoundingClientRect()
  const bounds = flow.getNodesBounds(nodes.map(({ id }) => id))
  const fits = Math.min(box.width / (bounds.width * 1.15), box.height / (bounds.height * 1.15))
  const zoom = Math.max(LEAST_ZOOM, Math.min(1, fits))
  const middle = bounds.x + bounds.width / 2
  const first = fits >= LEAST_ZOOM ? middle : startOf(flow, nodes, middle)
  const top = fits >= LEAST_ZOOM ? (box.height - bounds.height * zoom) / 2 : 36
  await flow.setViewport({ x: box.width / 2 - first * zoom, y: top - bounds.y * zoom, zoom })
}

function startOf(
  flow: ReactFlowInstance<DesignNode, LineEdge>,
  nodes: readonly DesignNode[],
  otherwise: number,
): number {
  const targets = new Set(flow.getEdges().map(({ target }) => target))
  const start = nodes.find(({ id, type, parentId }) => type !== 'note' && parentId === undefined && !targets.has(id))
  return start === undefined ? otherwise : start.position.x + (start.width ?? 0) / 2
}

/** What of the drawing can be seen. */
export function shownBox({ screenToFlowPosition }: Pick<ReactFlowInstance, 'screenToFlowPosition'>): Box {
  const { left, top, right, bottom } = document.querySelector('[data-designer-canvas]')!.getBoundingClientRect()
  const [from, to] = [screenToFlowPosition({ x: left, y: top }), screenToFlowPosition({ x: right, y: bottom })]
  return { ...from, width: to.x - from.x, height: to.y - from.y }
}

/** Corner of the room of a body in the whole drawing. */
export function absoluteOf(nodes: ReadonlyMap<string, DesignNode>, view: DesignView, body: string): Position {
  const { x, y } = originOf(view, body)
  let [left, top] = [x, y]
  const holder = view.bodies.get(body)
  let node = holder === undefined ? undefined : (nodes.get(body) ?? nodes.get(holder.step))
  while (node !== undefined) {
    left += node.position.x
    top += node.position.y
    node = node.parentId === undefined ? undefined : nodes.get(node.parentId)
  }
  return { x: left, y: top }
}
