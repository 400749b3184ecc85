/** A small picture of a graph: boxes in columns from left to right, what is inside a container as rows of its box. Pure. */
import type { JsonObject } from '../../designer/model/index.ts'

export interface PreviewBox {
  readonly id: string
  readonly type: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Steps inside, from the corner of the box. */
  readonly inside: readonly PreviewStep[]
}

interface PreviewStep {
  readonly type: string
  readonly x: number
  readonly y: number
}

export interface Preview {
  readonly width: number
  readonly height: number
  readonly boxes: readonly PreviewBox[]
  /** From the right of one box to the left of another. */
  readonly lines: readonly { readonly from: PreviewBox; readonly to: PreviewBox }[]
}

/** Of a step, and of one inside a container. */
export const [SIZE, INNER] = [28, 22]
const [GAP_X, GAP_Y, PAD] = [24, 5, 5]
const PARTS = ['body', 'catch', 'finally']

interface Joined {
  readonly from: string
  readonly to: string
}

export function previewOf(document: JsonObject): Preview {
  const steps = listOf(document.activities)
  const joined = listOf(document.connections).map(({ from, to }): Joined => ({ from: String(from), to: String(to) }))
  const columns = columnsOf(steps, joined)
  const tallest = Math.max(...columns.map((column) => heightOf(column)), 0)
  const boxes = new Map<string, PreviewBox>()
  let x = 0
  for (const column of columns) {
    const width = Math.max(...column.map((step) => sizeOf(step).width))
    let y = (tallest - heightOf(column)) / 2
    for (const step of column) {
      const size = sizeOf(step)
      const [id, type] = [String(step.id), String(step.type)]
      boxes.set(id, { id, type, x, y, ...size, inside: insideOf(rowsOf(step)) })
      y += size.height + GAP_Y
    }
    x += width + GAP_X
  }
  const lines = joined.flatMap(({ from, to }) => {
    const [a, b] = [boxes.get(from), boxes.get(to)]
    return a === undefined || b === undefined ? [] : [{ from: a, to: b }]
  })
  return { width: Math.max(0, x - GAP_X), height: tallest, boxes: [...boxes.values()], lines }
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : [])

/** Types of what is inside, a row for each part. */
function rowsOf(step: JsonObject): readonly (readonly string[])[] {
  return PARTS.flatMap((part) => {
    const inside = step[part] as JsonObject | undefined
    return inside === undefined ? [] : [listOf(inside.activities).map(({ type }) => String(type))]
  })
}

const insideOf = (rows: readonly (readonly string[])[]): readonly PreviewStep[] =>
  rows.flatMap((row, part) =>
    row.map((type, place) => ({ type, x: PAD + place * (INNER + PAD), y: PAD + part * (INNER + PAD) })),
  )

function sizeOf(step: JsonObject): { readonly width: number; readonly height: number } {
  const rows = rowsOf(step)
  if (rows.length === 0) return { width: SIZE, height: SIZE }
  const most = Math.max(...rows.map((row) => row.length))
  return { width: most * (INNER + PAD) + PAD, height: rows.length * (INNER + PAD) + PAD }
}

const heightOf = (column: readonly JsonObject[]): number =>
  column.reduce((sum, step) => sum + sizeOf(step).height, (column.length - 1) * GAP_Y)

/** A step stands behind all that lead to it. */
function columnsOf(steps: readonly JsonObject[], joined: readonly Joined[]): readonly (readonly JsonObject[])[] {
  const depth = new Map(steps.map(({ id }) => [String(id), 0]))
  // As often as the longest way could be: what goes in a circle ends all the same.
  for (const _ of steps)
    for (const { from, to } of joined) {
      const least = Math.min((depth.get(from) ?? 0) + 1, steps.length - 1)
      if (depth.has(to) && depth.get(to)! < least) depth.set(to, least)
    }
  const columns = new Map<number, JsonObject[]>()
  for (const step of steps) {
    const at = depth.get(String(step.id)) ?? 0
    columns.set(at, [...(columns.get(at) ?? []), step])
  }
  return [...columns].sort(([a], [b]) => a - b).map(([, column]) => column)
}
