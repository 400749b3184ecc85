import { describe, expect, it } from 'vitest'
import type { JournalOutline } from '../store/instance-reader.ts'
import { emptyTimeline, finishTimeline, type Timeline, tellFact } from './timeline.ts'
import type { TimelineSpan } from './timeline-span.ts'

type Said = Partial<JournalOutline> & Pick<JournalOutline, 'kind' | 'at'>

const fact = (said: Said, seq: number): JournalOutline => ({ nodeId: 'a', ...said, seq }) as unknown as JournalOutline

function told(facts: readonly Said[], kind: 'graph' | 'function' = 'graph', thens: Record<number, Timeline> = {}) {
  const line = emptyTimeline(kind)
  const spans: TimelineSpan[] = []
  for (const [index, said] of facts.entries())
    spans.push(...tellFact(line, fact(said, index + 1), undefined, thens[index + 1]))
  return { line, spans }
}

const short = ({ kind, step, status, startedAt, endedAt, attempt }: TimelineSpan) =>
  [kind, step, status, startedAt, endedAt, attempt] as const

const started = { kind: 'started', at: 0 }

describe('a timeline', () => {
  it('tells attempts and the time between them', () => {
    const { spans } = told([
      started,
      { kind: 'retrying', step: 'x', attempt: 1, delayMs: 100, at: 10, error: { code: 'E', message: 'no' } },
      { kind: 'retrying', step: 'x', attempt: 2, delayMs: 200, at: 130, error: { code: 'E', message: 'no' } },
      { kind: 'completed', step: 'x', attempt: 3, at: 340 },
    ])
    expect(spans.map(short)).toEqual([
      ['step', 'x', 'faulted', 0, 10, 1],
      ['retry', 'x', 'completed', 10, 110, 1],
      ['step', 'x', 'faulted', 110, 130, 2],
      ['retry', 'x', 'completed', 130, 330, 2],
      ['step', 'x', 'completed', 330, 340, 3],
    ])
    expect(spans[0]!.error?.code).toBe('E')
    expect(spans.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([
      [2, 2],
      [2, 3],
      [3, 3],
      [3, 4],
      [4, 4],
    ])
  })

  it('tells a wait that ends on another node, and one that goes on', () => {
    const { line, spans } = told([
      started,
      { kind: 'waiting', step: 'ask', waitKind: 'event', waitName: 'go', waitMs: 1_000, at: 5 },
      { kind: 'completed', step: 'ask', outcome: 'done', at: 500, nodeId: 'b' },
      { kind: 'waiting', step: 'nap', waitKind: 'timer', waitUntil: 9_000, at: 501, nodeId: 'b' },
    ])
    expect(finishTimeline(line, [{ step: 'nap', activity: 'nap', phase: 'waiting' }], undefined)).toEqual([])
    expect(spans.map(short)).toEqual([
      ['wait', 'ask', 'completed', 5, 500, 1],
      ['timer', 'nap', 'suspended', 501, undefined, 1],
    ])
    expect(spans[0]).toMatchObject({ waitsFor: 'go', dueAt: 1_005, nodeIds: ['a', 'b'], outcome: 'done' })
    expect(spans[1]).toMatchObject({ dueAt: 9_000, nodeIds: ['b'], toSeq: undefined })
  })

  it('ends containers with the last of their parts, and branches that were given up', () => {
    const { line, spans } = told([
      started,
      { kind: 'opened', step: 'loop', at: 1 },
      { kind: 'completed', step: 'loop[0].turn', at: 2 },
      { kind: 'completed', step: 'loop[1].turn', at: 3, nodeId: 'b' },
      { kind: 'opened', step: 'par', at: 4 },
      { kind: 'waiting', step: 'par[0].slow', waitKind: 'timer', waitMs: 1_000, at: 5 },
      { kind: 'completed', step: 'par[1].quick', at: 6 },
    ])
    finishTimeline(line, [], undefined)
    expect(spans.map(short)).toEqual([
      ['container', 'loop', 'completed', 1, 3, 1],
      ['step', 'loop[0].turn', 'completed', 1, 2, 1],
      ['step', 'loop[1].turn', 'completed', 2, 3, 1],
      ['container', 'par', 'completed', 4, 6, 1],
      ['timer', 'par[0].slow', 'cancelled', 5, 6, 1],
      ['step', 'par[1].quick', 'completed', 5, 6, 1],
    ])
    expect(spans[0]!.nodeIds).toEqual(['a', 'b'])
  })

  it('ends with its instance, and goes on with it', () => {
    const { line, spans } = told([
      started,
      { kind: 'opened', step: 'par', at: 1 },
      { kind: 'waiting', step: 'par[0].ask', waitKind: 'event', waitName: 'go', at: 2 },
      { kind: 'failed', step: 'par[1].boom', attempt: 1, at: 3, error: { code: 'E', message: 'no' } },
      { kind: 'ended', status: 'faulted', at: 4 },
      { kind: 'retried', at: 100 },
      { kind: 'completed', step: 'par[1].boom', attempt: 1, at: 101 },
      { kind: 'completed', step: 'par[0].ask', at: 150 },
    ])
    finishTimeline(line, [], undefined)
    expect(spans.map(short)).toEqual([
      ['container', 'par', 'cancelled', 1, 4, 1],
      ['wait', 'par[0].ask', 'cancelled', 2, 4, 1],
      ['step', 'par[1].boom', 'faulted', 2, 3, 1],
      ['container', 'par', 'completed', 100, 150, 1],
      ['wait', 'par[0].ask', 'completed', 100, 150, 1],
      ['step', 'par[1].boom', 'completed', 100, 101, 1],
    ])
  })

  it('goes on where it was taken back to', () => {
    const before = [started, { kind: 'waiting', step: 'ask', waitKind: 'event', at: 5 }]
    const then = told(before).line
    const { line, spans } = told(
      [...before, { kind: 'completed', step: 'ask', at: 9 }, { kind: 'rewound', step: 'ask', toSeq: 2, at: 50 }],
      'graph',
      { 4: then },
    )
    finishTimeline(line, [{ step: 'ask', activity: 'ask', phase: 'waiting' }], undefined)
    expect(spans.map(short)).toEqual([
      ['wait', 'ask', 'completed', 5, 9, 1],
      ['wait', 'ask', 'suspended', 50, undefined, 1],
    ])
  })

  it('tells what a pause and other names make of it', () => {
    const { line, spans } = told([
      started,
      { kind: 'waiting', step: 'loop[2].ask#3', waitKind: 'human', at: 1 },
      { kind: 'paused', at: 2 },
      { kind: 'migrated', mapping: { ask: 'question', loop: 'all' }, at: 3 },
      { kind: 'continued', at: 10 },
      { kind: 'completed', step: 'all[2].question#3', at: 11 },
    ])
    finishTimeline(line, [], undefined)
    expect(spans.map(short)).toEqual([
      ['wait', 'loop[2].ask#3', 'completed', 1, 11, 1],
      ['paused', undefined, 'completed', 2, 10, 1],
    ])
  })

  it('of a function names steps as the function does, and tells children', () => {
    const { line, spans } = told(
      [
        started,
        { kind: 'completed', step: 'pay.now#2', at: 2 },
        { kind: 'waiting', step: 'ship', waitKind: 'child', childId: 'c', at: 3 },
      ],
      'function',
    )
    finishTimeline(line, [{ step: 'ship', activity: 'ship', phase: 'waiting' }], undefined)
    expect(spans.map(({ kind, activity, childId }) => [kind, activity, childId])).toEqual([
      ['step', 'pay.now', undefined],
      ['child', 'ship', 'c'],
    ])
  })

  it('goes on apart from its copy', () => {
    const { line } = told([started, { kind: 'waiting', step: 'ask', waitKind: 'event', at: 5 }])
    const copy = structuredClone(line)
    tellFact(line, fact({ kind: 'completed', step: 'ask', at: 9 }, 3), undefined)
    expect([line.open.size, copy.open.size]).toEqual([0, 1])
  })
})
