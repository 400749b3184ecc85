import { getNodesBounds, MiniMap, type Node, useStore } from '@xyflow/react'

const LEAST = { width: 420, height: 300 }

/**
 * The whole drawing, small, for as long as some of it cannot be seen. Where all of it is in view a map tells nothing and would only lie over a
 * step; so it folds away.
 */
export function OverviewMap<NodeType extends Node>(props: React.ComponentProps<typeof MiniMap<NodeType>>) {
  const hides = useStore(({ nodes, transform: [x, y, zoom], width, height }) => {
    const all = getNodesBounds(nodes.filter(({ parentId }) => parentId === undefined))
    const [left, top] = [all.x * zoom + x, all.y * zoom + y]
    // In a small window it would hide more than it shows.
    if (width < LEAST.width || height < LEAST.height) return false
    return left < 0 || top < 0 || left + all.width * zoom > width || top + all.height * zoom > height
  })
  return hides ? <MiniMap<NodeType> pannable zoomable {...props} /> : null
}
