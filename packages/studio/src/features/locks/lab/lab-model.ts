/**
 * What the lock lab draws: the moves of its workers, folded into spans on lanes. Times are milliseconds since the race began, by the clock of
 * this browser; what is granted, lost and refused is what the server answered.
 */
export const workerNames = ['A', 'B', 'C', 'D', 'E'] as const
export type WorkerName = (typeof workerNames)[number]

export type MoveKind =
  | 'asked'
  | 'granted'
  | 'renewed'
  /** Nobody renewed its lease in time; whoever holds it may not know. */
  | 'expired'
  | 'crashed'
  | 'woke'
  | 'written'
  | 'refused'
  | 'lost'
  | 'released'
  | 'unanswered'
  | 'left'

export interface Move {
  readonly at: number
  readonly worker: WorkerName
  readonly kind: MoveKind
  readonly fence?: string | undefined
  /** Where a write was refused: the fence that was there before. */
  readonly seen?: string | undefined
}

/** `late`: works on without its lease. */
export type SpanKind = 'waiting' | 'holding' | 'sleeping' | 'late'

export interface Span {
  readonly worker: WorkerName
  readonly kind: SpanKind
  readonly from: number
  /** Absent: it goes on. */
  readonly to?: number
  readonly fence?: string | undefined
}

export interface LabState {
  readonly spans: readonly Span[]
  /** Renewals and writes, as marks on a lane. */
  readonly marks: readonly Move[]
  /** Newest first. */
  readonly log: readonly Move[]
  readonly granted: number
  readonly written: number
  readonly refused: number
}

export const WINDOW_MS = 20_000
const MOST_LOGGED = 40

export const emptyLab: LabState = { spans: [], marks: [], log: [], granted: 0, written: 0, refused: 0 }

export function foldMove(state: LabState, move: Move): LabState {
  const since = move.at - WINDOW_MS
  const open = openSpan(state.spans, move.worker)
  const next = nextKind(open?.kind, move.kind)
  const spans = next === 'same' ? state.spans : changed(state.spans, move, next)
  const isMark = move.kind === 'renewed' || move.kind === 'written' || move.kind === 'refused'
  return {
    spans: spans.filter(({ to }) => to === undefined || to > since),
    marks: [...state.marks, ...(isMark ? [move] : [])].filter(({ at }) => at > since),
    log: move.kind === 'renewed' || move.kind === 'left' ? state.log : [move, ...state.log].slice(0, MOST_LOGGED),
    granted: state.granted + Number(move.kind === 'granted'),
    written: state.written + Number(move.kind === 'written'),
    refused: state.refused + Number(move.kind === 'refused'),
  }
}

/** What a worker does now. `undefined`: it rests. */
export const openSpan = (spans: readonly Span[], worker: WorkerName): Span | undefined =>
  spans.findLast((span) => span.worker === worker && span.to === undefined)

/** `undefined`: nothing begins. `same`: what is drawn goes on. */
function nextKind(now: SpanKind | undefined, move: MoveKind): SpanKind | undefined | 'same' {
  switch (move) {
    case 'asked':
      return now === 'waiting' ? 'same' : 'waiting'
    case 'granted':
      return 'holding'
    case 'expired':
      return now === 'holding' ? 'late' : 'same'
    case 'crashed':
      return 'sleeping'
    case 'woke':
      return 'late'
    case 'released':
    case 'lost':
    case 'left':
      return undefined
    case 'refused':
      return now === 'late' ? undefined : 'same'
    default:
      return 'same'
  }
}

function changed(spans: readonly Span[], { worker, at, fence }: Move, kind: SpanKind | undefined): readonly Span[] {
  const before = openSpan(spans, worker)
  const ended = spans.map((span) => (span === before ? { ...span, to: at } : span))
  return kind === undefined ? ended : [...ended, { worker, kind, from: at, fence: fence ?? before?.fence }]
}

const SHORTEST_MS = 6_000

/** What the lanes show: all of a young race, then the last twenty seconds. */
export function windowOf(now: number): { readonly from: number; readonly lengthMs: number } {
  const from = Math.max(0, now - WINDOW_MS)
  return { from, lengthMs: Math.max(SHORTEST_MS, now - from) }
}

/** Where a span lies in the window, in percent. `undefined`: it has left it. */
export function placeOf(
  { from, to }: Span,
  now: number,
): { readonly left: number; readonly width: number } | undefined {
  const start = Math.max(from, windowOf(now).from)
  const end = Math.min(to ?? now, now)
  if (end < start) return undefined
  return { left: percent(start, now), width: Math.max(0.4, percent(end, now) - percent(start, now)) }
}

export function percent(at: number, now: number): number {
  const { from, lengthMs } = windowOf(now)
  return ((at - from) / lengthMs) * 100
}
