/** Where somebody looked when they left a drawing, in this browser: there they look again when they come back. */
import type { Box } from './snap.ts'

export interface Viewport {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

export const ZOOM = { least: 0.08, most: 2.5 }

const keyOf = (id: string): string => `lockstep-designer-view ${id}`

export const keepViewport = (id: string, { x, y, zoom }: Viewport): void =>
  localStorage.setItem(keyOf(id), JSON.stringify({ x, y, zoom }))

export const keptViewport = (id: string): Viewport | undefined => readViewport(localStorage.getItem(keyOf(id)))

export function readViewport(text: string | null): Viewport | undefined {
  try {
    const { x, y, zoom } = JSON.parse(text ?? 'null') as Viewport
    const right = [x, y, zoom].every(Number.isFinite) && zoom >= ZOOM.least && zoom <= ZOOM.most
    return right ? { x, y, zoom } : undefined
  } catch {
    return undefined
  }
}

/** Whether any of the boxes of the drawing can be seen in a window of this size. */
export function showsAny(
  { x, y, zoom }: Viewport,
  size: { readonly width: number; readonly height: number },
  boxes: readonly Box[],
): boolean {
  const [left, top] = [-x / zoom, -y / zoom]
  const [right, bottom] = [left + size.width / zoom, top + size.height / zoom]
  return boxes.some((box) => box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top)
}
