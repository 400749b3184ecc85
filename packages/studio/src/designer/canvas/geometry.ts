import { STEP } from '../../canvas/layout.ts'
import { type Body, bodiesOf, type DesignView, type Position, ROOT, type Step, stepsOf } from '../model/index.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Where a node stands in its parent, and how large it is. */
export interface Placed extends Position, Size {
  /** Node that it moves along with: a step or a part of one. */
  readonly parent: string | undefined
}

export const PADDING = 16
export const HEAD = 44
const PART_HEAD = 36

/** The room of a body whose steps are its children, and where in its node that room begins. */
interface Room extends Size {
  readonly key: string
}

/** A container with one body is its frame; one with several has a part for each. */
export const isFrame = (bodies: readonly Body[]): boolean => bodies.length === 1 && bodies[0]!.slot === 'body'

export interface Drawn {
  /** Parents stand before what they hold. */
  readonly nodes: ReadonlyMap<string, Placed>
  readonly size: (key: string) => Size
}

const NONE: ReadonlySet<string> = new Set()

/** `where` says where a step stands in its body. What is inside a folded container is left out. */
export function draw(view: DesignView, where: (step: Step) => Position, folded: ReadonlySet<string> = NONE): Drawn {
  const sizes = new Map<string, Size>()
  const rooms = new Map<string, Room>()
  const roomOf = (key: string): Room => {
    const known = rooms.get(key)
    if (known !== undefined) return known
    let [width, height] = [STEP.width, STEP.height]
    for (const step of stepsOf(view, key)) {
      const { x, y } = where(step)
      const size = sizeOf(step)
      width = Math.max(width, x + size.width)
      height = Math.max(height, y + size.height)
    }
    const room = { key, width, height }
    rooms.set(key, room)
    return room
  }
  const sizeOf = (step: Step): Size => {
    const known = sizes.get(step.key)
    if (known !== undefined) return known
    const bodies = bodiesOf(view, step.key)
    const size =
      bodies.length === 0 || folded.has(step.key)
        ? STEP
        : containerSize(
            bodies.map(({ key }) => roomOf(key)),
            isFrame(bodies),
          )
    sizes.set(step.key, size)
    return size
  }
  const nodes = new Map<string, Placed>()
  const place = (body: string, parent: string | undefined, origin: Position): void => {
    for (const step of stepsOf(view, body)) {
      const { x, y } = where(step)
      nodes.set(step.key, { x: x + origin.x, y: y + origin.y, parent, ...sizeOf(step) })
      const bodies = folded.has(step.key) ? [] : bodiesOf(view, step.key)
      if (isFrame(bodies)) place(bodies[0]!.key, step.key, { x: PADDING, y: HEAD })
      else placeParts(step.key, bodies)
    }
  }
  const placeParts = (step: string, bodies: readonly Body[]): void => {
    let x = PADDING
    const height = Math.max(0, ...bodies.map(({ key }) => partSize(roomOf(key)).height))
    for (const { key } of bodies) {
      const { width } = partSize(roomOf(key))
      nodes.set(key, { x, y: HEAD, width, height, parent: step })
      place(key, key, { x: PADDING, y: PART_HEAD })
      x += width + PADDING
    }
  }
  place(ROOT, undefined, { x: 0, y: 0 })
  return { nodes, size: (key) => sizes.get(key) ?? STEP }
}

/** Where the steps of a body begin, in the node that holds them. */
export function originOf(view: DesignView, body: string): Position {
  const holder = view.bodies.get(body)
  if (holder === undefined) return { x: 0, y: 0 }
  return { x: PADDING, y: isFrame(bodiesOf(view, holder.step)) ? HEAD : PART_HEAD }
}

/** The node that a body is drawn in. */
export function nodeOfBody(view: DesignView, body: string): string | undefined {
  const holder = view.bodies.get(body)
  if (holder === undefined) return undefined
  return isFrame(bodiesOf(view, holder.step)) ? holder.step : body
}

const partSize = ({ width, height }: Room): Size => ({
  width: width + 2 * PADDING,
  height: PART_HEAD + height + PADDING,
})

function containerSize(rooms: readonly Room[], frame: boolean): Size {
  if (frame) return { width: rooms[0]!.width + 2 * PADDING, height: HEAD + rooms[0]!.height + PADDING }
  const parts = rooms.map(partSize)
  return {
    width: PADDING + parts.reduce((sum, part) => sum + part.width + PADDING, 0),
    height: HEAD + Math.max(0, ...parts.map(({ height }) => height)) + PADDING,
  }
}
