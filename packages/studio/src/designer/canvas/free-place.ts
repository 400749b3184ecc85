import { type DesignView, type Position, stepsOf } from '../model/index.ts'
import { draw } from './geometry.ts'

type Where = (key: string) => Position

/** Below all that a body holds. */
export function placeBelow(view: DesignView, body: string, where: Where): Position {
  const { size } = draw(view, ({ key }) => where(key))
  const steps = stepsOf(view, body)
  if (steps.length === 0) return { x: 0, y: 0 }
  const left = Math.min(...steps.map(({ key }) => where(key).x))
  return { x: left, y: Math.max(...steps.map(({ key }) => where(key).y + size(key).height)) + 56 }
}

/** Places for these steps right of all others of their body, where they would hide some; none where they hide nothing. */
export function besideOthers(
  view: DesignView,
  body: string,
  keys: ReadonlySet<string>,
  where: Where,
): ReadonlyMap<string, Position> {
  const { size } = draw(view, ({ key }) => where(key))
  const boxes = stepsOf(view, body).map(({ key }) => ({ key, ...where(key), ...size(key) }))
  const [mine, others] = [boxes.filter(({ key }) => keys.has(key)), boxes.filter(({ key }) => !keys.has(key))]
  const hides = mine.some((a) =>
    others.some((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height),
  )
  if (!hides) return new Map()
  const by = Math.max(...others.map(({ x, width }) => x + width)) + 36 - Math.min(...mine.map(({ x }) => x))
  return new Map(mine.map(({ key, x, y }) => [key, { x: x + by, y }]))
}
