import { expect, it } from 'vitest'
import { compareRuns } from './compare-runs.ts'
import type { Execution } from './executions.ts'

const step = (key: string, ms: number, more: Partial<Execution> = {}): Execution => ({
  ...{ key, activity: key, status: 'completed', begunAt: 0, endedAt: ms, attempts: 1, segments: [] },
  ...{ output: undefined, outcome: 'done', error: undefined, wait: undefined, facts: [] },
  ...more,
})
const told = (here: readonly Execution[], there: readonly Execution[]) =>
  compareRuns(here, there).map(({ key, difference }) => [key, difference])

it('sets steps of the same place side by side', () => {
  const here = [step('a', 100), step('b', 900), step('c', 10, { outcome: 'true' }), step('e', 5, { status: 'faulted' })]
  const there = [step('a', 110), step('b', 100), step('c', 10, { outcome: 'false' }), step('d', 1), step('e', 5)]
  expect(told(here, there)).toEqual([
    ['a', 'same'],
    ['b', 'slower'],
    ['c', 'outcome'],
    ['d', 'only-there'],
    ['e', 'status'],
  ])
})

it('tells of what they gave, and of what only one has', () => {
  expect(told([step('a', 1, { output: { n: 1 } })], [step('a', 1, { output: { n: 2 } })])).toEqual([['a', 'output']])
  expect(told([step('a', 1), step('z', 1)], [step('a', 1)])).toEqual([
    ['a', 'same'],
    ['z', 'only-here'],
  ])
})
