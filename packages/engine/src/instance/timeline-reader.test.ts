import { describe, expect, it } from 'vitest'
import type { JournalOutline } from '../store/instance-reader.ts'
import { TimelineReader } from './timeline-reader.ts'

/** A journal of a function with this many steps behind a wait that goes on, or ends at last. */
function reading(steps: number, { ends = false, ahead = 50_000 } = {}) {
  const rows: JournalOutline[] = []
  const add = (said: Partial<JournalOutline>) =>
    rows.push({ at: rows.length, nodeId: 'a', ...said, seq: rows.length + 1 } as JournalOutline)
  add({ kind: 'started' })
  add({ kind: 'waiting', step: 'wait', waitKind: 'event' })
  for (let n = 1; n <= steps; n++) add({ kind: 'completed', step: `s#${n}` })
  if (ends) add({ kind: 'completed', step: 'wait' })
  const asked: number[] = []
  const facts = ends
    ? rows
    : rows.slice(0, 2).map((row) => ({ ...row, data: { step: 'wait', wait: { kind: 'event', name: 'e' } } }))
  const reader = new TimelineReader(
    {
      instances: {
        get: async () => ({ tenant: 't', id: 'i', definitionId: 'd', version: 1, revision: rows.length }) as never,
        outline: async (_tenant, _id, after, limit) => {
          asked.push(after)
          return rows.slice(after, after + limit)
        },
      },
      agenda: { load: async () => [{ version: 1, facts: ends ? [] : facts }] as never },
      programs: { get: async () => ({ kind: 'function' }) as never },
    },
    ahead,
  )
  return { reader, asked }
}

describe('pages of a timeline', () => {
  it('are the whole, and each begins near where the last one ended', async () => {
    const { reader, asked } = reading(9_000)
    const steps: (string | undefined)[] = []
    for (let after = { seq: 0, n: 0 }; ; ) {
      asked.length = 0
      const { spans, next } = await reader.page('t', 'i', after, 1_000)
      steps.push(...spans.map(({ step }) => step))
      if (after.seq > 2_000) expect(asked[0]).toBeGreaterThan(after.seq - 4_001)
      if (next === undefined) break
      after = next
    }
    expect(steps).toEqual(['wait', ...Array.from({ length: 9_000 }, (_, n) => `s#${n + 1}`)])
  })

  it('look ahead for the end of what they tell, and say so where it is too far', async () => {
    const near = await reading(500, { ends: true }).reader.page('t', 'i', { seq: 0, n: 0 }, 10)
    expect(near.spans[0]).toMatchObject({ step: 'wait', status: 'completed', toSeq: 503 })
    const far = await reading(500, { ends: true, ahead: 100 }).reader.page('t', 'i', { seq: 0, n: 0 }, 10)
    expect(far.spans[0]).toMatchObject({ step: 'wait', status: 'unknown', endedAt: undefined })
    expect(far.spans).toHaveLength(10)
  })
})
