import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'
import type { CanvasModel } from './canvas-model.ts'

export const STEP = { width: 200, height: 58 }

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** Where everything stands, measured from the corner of the whole drawing. */
export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>
  readonly paths: ReadonlyMap<string, EdgePath>
}

export interface EdgePath {
  readonly points: readonly Point[]
  /** Where its outcome is written. */
  readonly label: Box | undefined
}

export type Direction = 'RIGHT' | 'DOWN'

const whole = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '44',
  'elk.spacing.nodeNode': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '20',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'TAIL_LAYER',
  'elk.spacing.edgeLabel': '4',
  'elk.padding': '[top=16,left=16,bottom=16,right=16]',
}
const inside = { ...whole, 'elk.padding': '[top=44,left=16,bottom=16,right=16]' }
/** What no line joins stands in the order of the document, as the designer draws it: a try before its catch. */
const together = { 'elk.separateConnectedComponents': 'false' }
const LETTER = 6.5

let loading: Promise<ELK> | undefined

/** The layout program is large and slow: it comes when it is first needed, and runs beside the page. */
export function elk(): Promise<ELK> {
  loading ??= Promise.all([import('elkjs/lib/elk-api.js'), import('elkjs/lib/elk-worker.min.js?url')]).then(
    ([{ default: Elk }, { default: url }]) => new Elk({ workerFactory: () => new Worker(url) }),
  )
  return loading
}

export async function layOut(model: CanvasModel, direction: Direction): Promise<Layout> {
  const placed = await (await elk()).layout(toElk(model, direction))
  const boxes = new Map<string, Box>()
  const paths = new Map<string, EdgePath>()
  collect(placed, 0, 0, boxes, paths)
  return { boxes, paths }
}

function toElk({ nodes, edges }: CanvasModel, direction: Direction): ElkNode {
  const toward = { 'elk.direction': direction }
  const childrenOf = (parent: string | undefined): ElkNode[] =>
    nodes
      .filter((node) => node.parent === parent)
      .map((node) =>
        node.kind === 'step'
          ? { id: node.id, ...STEP }
          : {
              id: node.id,
              layoutOptions: {
                ...inside,
                ...toward,
                ...(edgesOf(node.id).length === 0 ? together : {}),
                ...(node.kind === 'part' ? { 'elk.alignment': direction === 'DOWN' ? 'TOP' : 'LEFT' } : {}),
              },
              children: childrenOf(node.id),
              edges: edgesOf(node.id),
            },
      )
  const edgesOf = (parent: string | undefined): ElkExtendedEdge[] =>
    edges
      .filter((edge) => edge.parent === parent)
      .map(({ id, from, to, outcome }) => ({
        id,
        sources: [from],
        targets: [to],
        ...(outcome === 'done' ? {} : { labels: [{ text: outcome, width: outcome.length * LETTER + 6, height: 14 }] }),
      }))
  return {
    id: 'root',
    layoutOptions: { ...whole, ...toward },
    children: childrenOf(undefined),
    edges: edgesOf(undefined),
  }
}

function collect(node: ElkNode, x: number, y: number, boxes: Map<string, Box>, paths: Map<string, EdgePath>): void {
  for (const edge of node.edges ?? []) {
    const points = (edge.sections ?? []).flatMap((part) => [part.startPoint, ...(part.bendPoints ?? []), part.endPoint])
    const [label] = edge.labels ?? []
    paths.set(edge.id, {
      points: points.map((point) => ({ x: point.x + x, y: point.y + y })),
      label: label && {
        x: x + (label.x ?? 0),
        y: y + (label.y ?? 0),
        width: label.width ?? 0,
        height: label.height ?? 0,
      },
    })
  }
  for (const child of node.children ?? []) {
    const box = { x: x + (child.x ?? 0), y: y + (child.y ?? 0), width: child.width ?? 0, height: child.height ?? 0 }
    boxes.set(child.id, box)
    collect(child, box.x, box.y, boxes, paths)
  }
}
