import { describe, expect, it } from 'vitest'
import type { Instance, Page } from '../../api/wire.ts'
import { figuresOf } from './figures.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const iso = (ago: number): string => new Date(NOW - ago * 1_000).toISOString()

const ran = (status: string, begun: number, ended: number | undefined): Instance =>
  ({ status, createdAt: iso(begun), finishedAt: ended === undefined ? null : iso(ended) }) as Instance

const page = (items: readonly Instance[], next: string | null = null): Page<Instance> => ({
  items,
  page: { next, prev: null, limit: 200 },
  count: { value: items.length, exact: next === null },
})

describe('the figures of Home', () => {
  it('say what ended in the window', () => {
    const recent = page([
      ran('running', 5, undefined),
      ran('completed', 20, 10),
      ran('completed', 100, 70),
      ran('faulted', 300, 290),
    ])
    const figures = figuresOf(recent, page([recent.items[0]!]), NOW, 10)
    expect(figures).toMatchObject({ inFlight: '1', perMinute: '0.2', faulted: '1', p95: 30_000 })
    expect(figures.completed).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    expect(figures.faults.reduce((sum, each) => sum + each, 0)).toBe(1)
  })

  it('say "at least" where a page is full, and rate by what it covers', () => {
    const recent = page(
      Array.from({ length: 200 }, (_, index) => ran('completed', index * 0.6, 0)),
      'more',
    )
    const figures = figuresOf(recent, page(recent.items, 'more'), NOW, 10)
    expect(figures.inFlight).toBe('200+')
    expect(Number(figures.perMinute)).toBeGreaterThan(90)
  })

  it('are dashes until something is known', () => {
    expect(figuresOf(undefined, undefined, NOW, 10)).toMatchObject({ inFlight: '–', perMinute: '–', p95: undefined })
  })
})
