/**
 * Lines that help to put things level. A box that is moved is compared with the others by its edges and its middle, each axis by
 * itself; the nearest place within reach wins, and every box that is level with it there is joined by the line.
 */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface SnapLine {
  /** `x`: it stands upright, at this x. */
  readonly axis: 'x' | 'y'
  readonly at: number
  readonly from: number
  readonly to: number
}

export interface Snapped {
  readonly by: { readonly x: number; readonly y: number }
  readonly lines: readonly SnapLine[]
}

/** Half a field of the grid: whatever stands beside the grid is within reach of it. */
export const REACH = 6

interface Span {
  readonly low: number
  readonly size: number
}

const anchors = ({ low, size }: Span): readonly number[] => [low, low + size / 2, low + size]
const acrossX = ({ x, width }: Box): Span => ({ low: x, size: width })
const acrossY = ({ y, height }: Box): Span => ({ low: y, size: height })

export function snap(moved: Box, others: readonly Box[], reach = REACH): Snapped {
  const by = { x: nearest(moved, others, acrossX, reach), y: nearest(moved, others, acrossY, reach) }
  const there = { ...moved, x: moved.x + (by.x ?? 0), y: moved.y + (by.y ?? 0) }
  return {
    by: { x: by.x ?? 0, y: by.y ?? 0 },
    lines: [
      ...(by.x === undefined ? [] : linesOf('x', there, others, acrossX, acrossY)),
      ...(by.y === undefined ? [] : linesOf('y', there, others, acrossY, acrossX)),
    ],
  }
}

/** How far it must go to be level with one of them; undefined: with none within reach. */
function nearest(moved: Box, others: readonly Box[], across: (box: Box) => Span, reach: number): number | undefined {
  const own = anchors(across(moved))
  let best: number | undefined
  for (const other of others)
    for (const [index, at] of anchors(across(other)).entries()) {
      const by = at - own[index]!
      if (Math.abs(by) <= reach && (best === undefined || Math.abs(by) < Math.abs(best))) best = by
    }
  return best
}

function linesOf(
  axis: 'x' | 'y',
  there: Box,
  others: readonly Box[],
  across: (box: Box) => Span,
  along: (box: Box) => Span,
): readonly SnapLine[] {
  const ends = (box: Box): readonly number[] => [along(box).low, along(box).low + along(box).size]
  const lines = anchors(across(there)).flatMap((at, index) => {
    const level = others.filter((other) => Math.abs(anchors(across(other))[index]! - at) < 0.5)
    if (level.length === 0) return []
    const all = [there, ...level].flatMap(ends)
    return [{ axis, at, from: Math.min(...all), to: Math.max(...all) }]
  })
  // Boxes of one size are level in the middle too: that needs no line of its own.
  return lines.length === 3 ? [lines[0]!, lines[2]!] : lines
}
