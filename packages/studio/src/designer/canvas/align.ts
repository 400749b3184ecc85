import type { Position } from '../model/index.ts'
import type { DesignNode } from './canvas-nodes.ts'
import { type Box, type SnapLine, snap } from './snap.ts'

/** Where dragged nodes are shown, in their parents, and the lines that say what they are level with, in the whole drawing. */
export interface Aligned {
  readonly places: ReadonlyMap<string, Position>
  readonly lines: readonly SnapLine[]
}

type Nodes = ReadonlyMap<string, DesignNode>

/** All that is dragged goes by the same way, level with what can be seen beside it. */
export function align(nodes: Nodes, places: ReadonlyMap<string, Position>, shown: Box): Aligned {
  const [first] = places.keys()
  const parent = nodes.get(first!)?.parentId
  const beside = (node: DesignNode): boolean => node.parentId === parent && node.type !== 'part'
  const moved = [...places].flatMap(([id, place]) => {
    const node = nodes.get(id)
    return node !== undefined && beside(node) ? [boxOf(node, place)] : []
  })
  if (moved.length === 0) return { places, lines: [] }
  const corner = cornerOf(nodes, parent)
  const seen = { ...shown, x: shown.x - corner.x, y: shown.y - corner.y }
  const others = [...nodes.values()].flatMap((node) => {
    const box = boxOf(node, node.position)
    return beside(node) && !places.has(node.id) && meets(box, seen) ? [box] : []
  })
  const { by, lines } = snap(around(moved), others)
  return {
    places: new Map([...places].map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }])),
    lines: lines.map((line) => shifted(line, corner)),
  }
}

const boxOf = ({ width = 0, height = 0 }: DesignNode, { x, y }: Position): Box => ({ x, y, width, height })

const meets = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

function around(boxes: readonly Box[]): Box {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))]
  return {
    ...{ x, y },
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  }
}

function cornerOf(nodes: Nodes, id: string | undefined): Position {
  const corner = { x: 0, y: 0 }
  for (
    let node = id && nodes.get(id);
    node;
    node = node.parentId === undefined ? undefined : nodes.get(node.parentId)
  ) {
    corner.x += node.position.x
    corner.y += node.position.y
  }
  return corner
}

function shifted(line: SnapLine, { x, y }: Position): SnapLine {
  const [across, along] = line.axis === 'x' ? [x, y] : [y, x]
  return { ...line, at: line.at + across, from: line.from + along, to: line.to + along }
}
