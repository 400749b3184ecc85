import { describe, expect, it } from 'vitest'
import {
  emptyLab,
  foldMove,
  type LabState,
  type Move,
  type MoveKind,
  openSpan,
  placeOf,
  WINDOW_MS,
  windowOf,
} from './lab-model.ts'
import { moveText, pictureText, refusedText } from './lab-words.ts'

const move = (at: number, kind: MoveKind, more: Partial<Move> = {}): Move => ({ at, kind, worker: 'A', ...more })
const fold = (...moves: readonly Move[]): LabState => moves.reduce(foldMove, emptyLab)

describe('the lanes of the lab', () => {
  it('are waiting, holding and resting in turns', () => {
    const { spans, granted, written } = fold(
      move(0, 'asked'),
      move(100, 'granted', { fence: '7' }),
      move(110, 'written', { fence: '7' }),
      move(900, 'released', { fence: '7' }),
    )
    expect(spans).toEqual([
      { worker: 'A', kind: 'waiting', from: 0, to: 100, fence: undefined },
      { worker: 'A', kind: 'holding', from: 100, to: 900, fence: '7' },
    ])
    expect([granted, written]).toEqual([1, 1])
  })

  it('show who works on without a lease, until its write is refused', () => {
    const before = fold(move(0, 'granted', { fence: '7' }), move(500, 'expired'))
    expect(openSpan(before.spans, 'A')).toMatchObject({ kind: 'late', from: 500, fence: '7' })
    const after = foldMove(before, move(900, 'refused', { fence: '7', seen: '8' }))
    expect(openSpan(after.spans, 'A')).toBeUndefined()
    expect(after.refused).toBe(1)
  })

  it('show a sleeper as asleep when its lease ends, and as late when it wakes', () => {
    const asleep = fold(move(0, 'granted', { fence: '7' }), move(100, 'crashed'), move(500, 'expired'))
    expect(openSpan(asleep.spans, 'A')).toMatchObject({ kind: 'sleeping', from: 100, fence: '7' })
    expect(openSpan(foldMove(asleep, move(900, 'woke')).spans, 'A')).toMatchObject({ kind: 'late', from: 900 })
  })

  it('forget what has left the window, and all but the newest words', () => {
    const moves = Array.from({ length: 100 }, (_, n) => [
      move(n * 1_000, 'asked'),
      move(n * 1_000 + 500, 'left'),
    ]).flat()
    const { spans, log } = fold(...moves)
    expect(spans.every(({ to = 0 }) => to > 99_500 - WINDOW_MS)).toBe(true)
    expect(log).toHaveLength(40)
    expect(log[0]!.at).toBe(99_000)
  })

  it('are placed in the window, which a young race does not fill', () => {
    const span = { worker: 'A', kind: 'holding', from: 10_000 } as const
    expect(placeOf(span, 20_000)).toEqual({ left: 50, width: 50 })
    expect(placeOf({ ...span, to: 15_000 }, 20_000)).toEqual({ left: 50, width: 25 })
    expect(placeOf({ ...span, to: 11_000 }, 40_000)).toBeUndefined()
    expect(placeOf({ ...span, from: 0 }, 3_000)).toEqual({ left: 0, width: 50 })
    expect(windowOf(30_000)).toEqual({ from: 10_000, lengthMs: 20_000 })
  })
})

describe('the words of the lab', () => {
  it('say who does what', () => {
    const state = fold(move(0, 'granted', { fence: '7' }), move(0, 'asked', { worker: 'B' }))
    expect(pictureText(state, ['A', 'B', 'C'])).toBe('A holds the lock, B waits')
    expect(pictureText(emptyLab, ['A'])).toBe('Nobody moves')
  })

  it('say why a write was refused', () => {
    const refused = move(0, 'refused', { fence: '1763394000000001', seen: '1763394000000002' })
    expect(moveText(refused)).toBe('The late write of A is refused: fence …000001 is older than …000002')
    expect(refusedText(0)).toBe('No late write so far')
    expect(refusedText(1)).toContain('1 late write was refused')
  })
})
