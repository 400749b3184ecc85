import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChildrenWait, EndStatus } from '../journal/fact.ts'
import { childIdOf, childIndexOf, endChild, newChildren } from './children-progress.ts'
import type { OpenWait } from './graph-state.ts'

const FIRST = '01900000-0000-7000-8000-fffffffffffe'

function waiting(count: number, concurrency: number, failFast: boolean): OpenWait {
  const wait: ChildrenWait = {
    kind: 'children',
    firstId: FIRST,
    definitionId: 'child',
    items: Array.from({ length: count }, (_, n) => n),
    concurrency,
    collect: 'all',
    ...(failFast ? { failFast } : {}),
  }
  return { step: 'all', seq: 1, wait, children: newChildren(wait) }
}

describe('the children of a bulk run', () => {
  it('begin in order, never more than may run at once, each once, until all have ended', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.nat()),
        (count, concurrency, draws) => {
          const opened = waiting(count, concurrency, false)
          const progress = opened.children!
          const begun = new Set(progress.live)
          for (const draw of draws) {
            expect(progress.live.length).toBeLessThanOrEqual(concurrency)
            if (progress.live.length === 0) break
            const index = progress.live[draw % progress.live.length]!
            const status: EndStatus = draw % 3 === 0 ? 'faulted' : draw % 5 === 0 ? 'cancelled' : 'completed'
            endChild(opened, { index, status })
            expect(progress.live).not.toContain(index)
            for (const each of progress.live) begun.add(each)
          }
          expect(begun.size).toBe(count)
          expect(progress.completed + progress.faulted + progress.cancelled).toBe(count)
        },
      ),
    )
  })

  it('stop beginning with the first failure where that ends all', () => {
    const opened = waiting(10, 3, true)
    endChild(opened, { index: 1, status: 'completed' })
    expect(opened.children!.live).toEqual([0, 2, 3])
    endChild(opened, { index: 2, status: 'faulted' })
    endChild(opened, { index: 0, status: 'completed' })
    expect(opened.children).toMatchObject({ live: [3], next: 4, completed: 2, faulted: 1, stopped: true })
  })

  it('have ids that count up from the first, around the end of the numbers too', () => {
    expect(childIdOf(FIRST, 0)).toBe(FIRST)
    expect(childIdOf(FIRST, 1)).toBe('01900000-0000-7000-8000-ffffffffffff')
    expect(childIdOf(FIRST, 2)).toBe('01900000-0000-7000-8000-000000000000')
    fc.assert(fc.property(fc.nat(100_000), (index) => childIndexOf(FIRST, childIdOf(FIRST, index)) === index))
    expect(childIndexOf(FIRST, '01900001-0000-7000-8000-fffffffffffe')).toBeUndefined()
  })
})
