import { expect, it } from 'vitest'
import { foldersOf } from './tag-folders.ts'

it('are tags by their paths, each workflow counted once', () => {
  const items = [{ tags: ['sales/eu', 'sales/us'] }, { tags: ['sales/eu', 'nightly'] }, { tags: [] }]
  expect(foldersOf(items).map(({ tag, label, depth, count, filter }) => [tag, label, depth, count, filter])).toEqual([
    ['nightly', 'nightly', 0, 1, 'nightly'],
    ['sales', 'sales', 0, 2, 'sales/eu,sales/us'],
    ['sales/eu', 'eu', 1, 2, 'sales/eu'],
    ['sales/us', 'us', 1, 1, 'sales/us'],
  ])
})

it('are none where the server knows no tags', () => {
  expect(foldersOf([{} as never])).toEqual([])
})
