import { expect, it } from 'vitest'
import { type Fact, factToRow } from '../journal/fact.ts'
import { knownBookmarks } from './known-bookmarks.ts'

const waiting = (step: string, bookmark?: string): Fact => ({
  ...{ kind: 'waiting', step, wait: { kind: 'signal', name: step } },
  ...(bookmark === undefined ? {} : { bookmark }),
})
const known = (...facts: Fact[]): unknown[] => {
  const rows = facts
    .map(factToRow)
    .map(({ kind, data }, index) => ({ seq: index + 1, kind, data: JSON.parse(data), at: 0 }))
  return [...knownBookmarks(rows)]
}
const done = (step: string): Fact => ({ kind: 'completed', step, outcome: 'done', by: 'resume' })

it('knows the last id of a step that waits', () => {
  expect(known(waiting('a', '1'), waiting('b', '2'), waiting('c'))).toEqual([
    ['a', '1'],
    ['b', '2'],
  ])
  expect(known(waiting('a', '1'), done('a'), waiting('a', '2'))).toEqual([['a', '2']])
})

it('never brings back an id that may have been consumed', () => {
  expect(known(waiting('a', '1'), done('a'))).toEqual([])
  expect(known(waiting('a', '1'), { kind: 'retried' })).toEqual([])
  expect(known(waiting('a', '1'), done('a'), { kind: 'rewound', step: 'b', toSeq: 1, state: {} })).toEqual([])
  expect(known(waiting('a', '1'), { kind: 'forked', from: 'x', at: 1 })).toEqual([])
})
