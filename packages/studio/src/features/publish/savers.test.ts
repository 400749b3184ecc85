import { describe, expect, it } from 'vitest'
import { saversOf } from './savers.ts'

const saved = (id: string, at: string) => ({ at, actor: { id }, operation: 'saveWorkflowDraft', target: 'order' })

describe('who saved a draft', () => {
  const entries = [
    saved('user:ann', '2027-01-01T10:00:00.000Z'),
    saved('user:ben', '2027-01-01T11:00:00.000Z'),
    saved('user:ann', '2027-01-01T12:00:00.000Z'),
    saved('anonymous', '2027-01-01T13:00:00.000Z'),
  ]

  it('is told once each, the latest first, and nobody is not somebody', () => {
    expect(saversOf(entries, null)).toEqual([
      { who: 'ann', times: 2, lastAt: '2027-01-01T12:00:00.000Z' },
      { who: 'ben', times: 1, lastAt: '2027-01-01T11:00:00.000Z' },
    ])
  })

  it('is told since the version that is replaced', () => {
    expect(saversOf(entries, '2027-01-01T11:00:00.000Z').map(({ who, times }) => [who, times])).toEqual([['ann', 1]])
  })
})
