import type { Execution } from './executions.ts'

/** A stretch of time in which no step ran, drawn narrow. */
export interface Fold {
  readonly from: number
  readonly to: number
}

export interface TimeScale {
  readonly folds: readonly Fold[]
  /** Where a moment lies, in percent of the width. */
  readonly place: (at: number) => number
  /** Which moment lies there. */
  readonly momentAt: (percent: number) => number
}

const FOLD_WIDTH = 5
const MOST_FOLDED_WIDTH = 40
/** A stretch is long that takes such a share of the whole. */
const LONG_SHARE = 0.1
const SHORTEST_MS = 2_000

/** Linear, but for the folds: each takes the same little width. Where time goes on, some room is left behind its end. */
export function timeScale(from: number, end: number, folds: readonly Fold[], width = 100): TimeScale {
  const each = folds.length === 0 ? 0 : Math.min(FOLD_WIDTH, MOST_FOLDED_WIDTH / folds.length)
  const folded = folds.reduce((sum, fold) => sum + fold.to - fold.from, 0)
  const perMs = (width - each * folds.length) / Math.max(1, end - from - folded)
  const pieces = piecesOf(from, end, folds).map((piece) => ({
    ...piece,
    wide: piece.fold ? each : (piece.to - piece.from) * perMs,
  }))
  return {
    folds,
    place(at) {
      let left = 0
      for (const { from: begin, to, wide } of pieces) {
        if (at <= begin) return left
        if (at < to) return left + (wide * (at - begin)) / (to - begin)
        left += wide
      }
      return Math.min(left, width)
    },
    momentAt(percent) {
      let left = 0
      for (const { from: begin, to, wide } of pieces) {
        if (percent < left + wide) return begin + ((to - begin) * (percent - left)) / wide
        left += wide
      }
      return end
    },
  }
}

function piecesOf(from: number, end: number, folds: readonly Fold[]) {
  const pieces: (Fold & { readonly fold: boolean })[] = []
  let at = from
  for (const fold of folds) {
    if (fold.from > at) pieces.push({ from: at, to: fold.from, fold: false })
    pieces.push({ ...fold, fold: true })
    at = fold.to
  }
  if (end > at) pieces.push({ from: at, to: end, fold: false })
  return pieces
}

const idle = new Set(['suspended', 'lock', 'open', 'queued'])

/** Long stretches in which nothing ran and nothing changed. */
export function idleFolds(executions: readonly Execution[], from: number, end: number): readonly Fold[] {
  const busy = executions
    .flatMap(({ segments, begunAt, endedAt }) => [
      ...segments.flatMap((part) =>
        idle.has(part.kind)
          ? [part.from, part.to ?? end].map((at) => ({ from: at, to: at }))
          : [{ from: part.from, to: part.to ?? end }],
      ),
      ...[begunAt, endedAt ?? end].map((at) => ({ from: at, to: at })),
    ])
    .toSorted((a, b) => a.from - b.from)
  const longest = Math.max(SHORTEST_MS, (end - from) * LONG_SHARE)
  const folds: Fold[] = []
  let at = from
  for (const each of [...busy, { from: end, to: end }]) {
    if (each.from - at > longest) folds.push({ from: at, to: Math.min(each.from, end) })
    at = Math.max(at, each.to)
  }
  return folds
}
