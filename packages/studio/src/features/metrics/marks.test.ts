import { expect, it } from 'vitest'
import { marksOf } from './marks.ts'

it('marks who came and went within the curves, oldest first', () => {
  const event = (kind: string, at: string | null, name: string) => ({
    ...{ kind, at, name, position: '1', nodeId: 'nod_1', detail: null },
  })
  const metrics = {
    ...({ scope: 'cluster', nodeId: 'nod_1', range: '1h', curves: {}, totals: {} } as const),
    from: '2026-01-01T10:00:00Z',
    at: [Date.parse('2026-01-01T11:00:00Z')],
  }
  const marks = marksOf(metrics, [
    event('buried', '2026-01-01T10:40:00Z', 'b'),
    event('elected', '2026-01-01T10:30:00Z', 'a'),
    event('joined', '2026-01-01T10:20:00Z', 'b'),
    event('joined', '2026-01-01T09:20:00Z', 'a'),
    event('joined', null, 'c'),
  ])
  expect(marks.map(({ kind, name }) => `${name} ${kind}`)).toEqual(['b joined', 'b buried'])
})
