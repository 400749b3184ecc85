/**
 * Places for those who wait, the locks between them and those who hold them: from left to right along "waits for" and "held by". An arrow that leads back
 * closes a circle and runs below the rest. Pure.
 */
import type { LockContention } from './contention-query.ts'

type Graph = LockContention['graph']
export type Party = Graph['parties'][number]

export type Box = Placed &
  (
    | {
        readonly kind: 'party'
        readonly party: Party
        readonly waitsFor: readonly string[]
        readonly holds: readonly string[]
      }
    | { readonly kind: 'lock'; readonly key: string }
    | { readonly kind: 'crowd'; readonly key: string; readonly count: number }
  )

interface Placed {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly isInCircle: boolean
}

export interface Arrow {
  readonly id: string
  readonly kind: 'waits' | 'held'
  readonly path: string
  readonly isInCircle: boolean
}

export interface WaitPicture {
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
  readonly width: number
  readonly height: number
  /** Locks that are waited for and not drawn. */
  readonly leftLocks: number
}

export const BOX = { width: 184, height: 40 } as const
const STEP = { x: 232, y: 50 } as const
/** Of each part of the picture: room below it for an arrow that leads back. */
const BELOW = 22
const BETWEEN = 14
const MOST_LOCKS = 12
/** Who only waits for one lock is drawn apart up to this many; the rest are one box. */
const MOST_ALIKE = 3

interface Edge {
  readonly from: string
  readonly to: string
  readonly kind: Arrow['kind']
  readonly isInCircle: boolean
}
type Bare = Box extends infer Each ? (Each extends Box ? Omit<Each, 'x' | 'y'> : never) : never

export function waitPicture({ graph, deadlocks }: Pick<LockContention, 'graph' | 'deadlocks'>): WaitPicture {
  const circles = deadlocks.map(({ circle }) => circle)
  const all = [...new Set(graph.waits.map(({ key }) => key))]
  const round = new Set(circles.flatMap((circle) => circle.map(({ key }) => key)))
  const count = (key: string): number => graph.waits.filter((each) => each.key === key).length
  const keys = [...all]
    .sort((a, b) => Number(round.has(b)) - Number(round.has(a)) || count(b) - count(a))
    .slice(0, MOST_LOCKS)
  const { boxes, edges } = whatIsDrawn(graph, new Set(keys), circles)
  return { ...placed(boxes, edges), leftLocks: all.length - keys.length }
}

function whatIsDrawn(
  { parties, holds, waits }: Graph,
  keys: ReadonlySet<string>,
  circles: readonly LockContention['deadlocks'][number]['circle'][],
): { readonly boxes: readonly Bare[]; readonly edges: readonly Edge[] } {
  const waiting = waits.filter(({ key }) => keys.has(key))
  const holding = holds.filter(({ key }) => keys.has(key))
  const inWaits = new Set(circles.flatMap((circle) => circle.map(({ party, key }) => `${party} ${key}`)))
  // Each holds what the one before it waits for.
  const inHolds = new Set(
    circles.flatMap((circle) => circle.map(({ party }, place) => `${party} ${circle.at(place - 1)!.key}`)),
  )
  const inCircle = new Set(circles.flatMap((circle) => circle.map(({ party }) => party)))
  const isPlain = (party: string): boolean =>
    !holding.some((each) => each.party === party) && waiting.filter((each) => each.party === party).length === 1
  const boxes: Bare[] = []
  const edges: Edge[] = []
  const left = new Set<string>()
  for (const key of keys) {
    const isInCircle = circles.some((circle) => circle.some((each) => each.key === key))
    boxes.push({ kind: 'lock', id: lockId(key), key, isInCircle })
    const plain = [...new Set(waiting.filter((each) => each.key === key && isPlain(each.party)).map((e) => e.party))]
    if (plain.length <= MOST_ALIKE + 1) continue
    const rest = plain.slice(MOST_ALIKE)
    for (const party of rest) left.add(party)
    const id = `crowd ${key}`
    boxes.push({ kind: 'crowd', id, key, count: rest.length, isInCircle: false })
    edges.push({ from: id, to: lockId(key), kind: 'waits', isInCircle: false })
  }
  // By id, so that nobody changes places while they ask and ask again.
  for (const party of [...parties].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const own = (list: readonly { readonly party: string; readonly key: string }[]): readonly string[] => [
      ...new Set(list.filter((each) => each.party === party.id).map(({ key }) => key)),
    ]
    const [waitsFor, has] = [own(waiting), own(holding)]
    if (left.has(party.id) || waitsFor.length + has.length === 0) continue
    const id = partyId(party.id)
    boxes.push({ kind: 'party', id, party, waitsFor, holds: has, isInCircle: inCircle.has(party.id) })
    for (const key of waitsFor)
      edges.push({ from: id, to: lockId(key), kind: 'waits', isInCircle: inWaits.has(`${party.id} ${key}`) })
    for (const key of has)
      edges.push({ from: lockId(key), to: id, kind: 'held', isInCircle: inHolds.has(`${party.id} ${key}`) })
  }
  return { boxes, edges }
}

const lockId = (key: string): string => `lock ${key}`
const partyId = (id: string): string => `party ${id}`

function placed(boxes: readonly Bare[], edges: readonly Edge[]): Omit<WaitPicture, 'leftLocks'> {
  const { columns, back } = columnsOf(boxes, edges)
  const spots = new Map<string, { readonly x: number; readonly y: number; readonly bottom: number }>()
  let top = 0
  let width = 0
  for (const part of partsOf(boxes, edges)) {
    const stacks = new Map<number, string[]>()
    for (const id of part) {
      const column = columns.get(id)!
      stacks.set(column, [...(stacks.get(column) ?? []), id])
    }
    const first = Math.min(...stacks.keys())
    const rows = Math.max(...[...stacks.values()].map((stack) => stack.length))
    const bottom = top + rows * STEP.y
    for (const [column, stack] of stacks)
      stack.forEach((id, row) =>
        spots.set(id, {
          x: (column - first) * STEP.x,
          y: top + ((rows - stack.length) / 2 + row) * STEP.y,
          bottom,
        }),
      )
    width = Math.max(width, (Math.max(...stacks.keys()) - first) * STEP.x + BOX.width)
    const leadsBack = edges.some((edge) => back.has(edge) && part.includes(edge.from))
    top = bottom + (leadsBack ? BELOW : 0) + BETWEEN
  }
  return {
    boxes: boxes.map((box) => ({ ...box, x: spots.get(box.id)!.x, y: spots.get(box.id)!.y }) as Box),
    arrows: edges.map((edge) => ({
      ...{ id: `${edge.from} > ${edge.to}`, kind: edge.kind, isInCircle: edge.isInCircle },
      path: back.has(edge)
        ? around(spots.get(edge.from)!, spots.get(edge.to)!)
        : across(spots.get(edge.from)!, spots.get(edge.to)!),
    })),
    ...{ width, height: Math.max(0, top - BETWEEN) },
  }
}

interface Spot {
  readonly x: number
  readonly y: number
  readonly bottom: number
}

/** The point of the arrow ends just before the box. */
const TIP = 5

function across(from: Spot, to: Spot): string {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2]
  const [x2, y2] = [to.x - TIP, to.y + BOX.height / 2]
  const half = (x2 - x1) / 2
  return `M ${x1} ${y1} C ${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}`
}

/** Below the part of the picture, and up into the box from beneath. */
function around(from: Spot, to: Spot): string {
  const [x1, x2] = [from.x + BOX.width / 2 + 12, to.x + BOX.width / 2 - 12]
  const low = from.bottom + BELOW / 2 - 6
  const turn = x2 < x1 ? -8 : 8
  return [
    `M ${x1} ${from.y + BOX.height} V ${low - 8} Q ${x1} ${low} ${x1 + turn} ${low}`,
    `H ${x2 - turn} Q ${x2} ${low} ${x2} ${low - 8} V ${to.y + BOX.height + TIP}`,
  ].join(' ')
}

/** The longest way to each box from those that nothing leads to; an arrow to a box that is on the way already leads back. */
function columnsOf(
  boxes: readonly Bare[],
  edges: readonly Edge[],
): { readonly columns: ReadonlyMap<string, number>; readonly back: ReadonlySet<Edge> } {
  const from = (id: string): readonly Edge[] => edges.filter((edge) => edge.from === id)
  const sources = boxes.filter(({ id }) => !edges.some((edge) => edge.to === id)).map(({ id }) => id)
  const rest = boxes.filter(({ kind }) => kind === 'party').map(({ id }) => id)
  const back = new Set<Edge>()
  const state = new Map<string, 'open' | 'done'>()
  const order: string[] = []
  const visit = (id: string): void => {
    state.set(id, 'open')
    for (const edge of from(id)) {
      const met = state.get(edge.to)
      if (met === 'open') back.add(edge)
      else if (met === undefined) visit(edge.to)
    }
    state.set(id, 'done')
    order.unshift(id)
  }
  for (const id of [...sources, ...rest]) if (!state.has(id)) visit(id)
  const columns = new Map<string, number>(order.map((id) => [id, 0]))
  for (const id of order)
    for (const edge of from(id))
      if (!back.has(edge)) columns.set(edge.to, Math.max(columns.get(edge.to)!, columns.get(id)! + 1))
  // Who only waits stands right before what it waits for.
  for (const id of sources) {
    const next = from(id).map((edge) => columns.get(edge.to)!)
    if (next.length > 0) columns.set(id, Math.min(...next) - 1)
  }
  return { columns, back }
}

/** Boxes that hang together, those with circles first. */
function partsOf(boxes: readonly Bare[], edges: readonly Edge[]): readonly (readonly string[])[] {
  const beside = new Map<string, string[]>(boxes.map(({ id }) => [id, []]))
  for (const { from, to } of edges) {
    beside.get(from)!.push(to)
    beside.get(to)!.push(from)
  }
  const seen = new Set<string>()
  const parts: string[][] = []
  for (const { id } of boxes) {
    if (seen.has(id)) continue
    const part: string[] = []
    const open = [id]
    seen.add(id)
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      part.push(at)
      for (const next of beside.get(at)!) if (!seen.has(next)) open.push(next) && seen.add(next)
    }
    parts.push(part)
  }
  const round = new Set(boxes.filter(({ isInCircle }) => isInCircle).map(({ id }) => id))
  const rank = (part: readonly string[]): number => (part.some((id) => round.has(id)) ? 0 : 1)
  return parts.sort((a, b) => rank(a) - rank(b))
}
