import { describe, expect, it } from 'vitest'
import { changesOf } from './changes.ts'

describe('what a change changed', () => {
  it('is told by members, also deep ones, and leaves out what stayed', () => {
    const before = { role: 'viewer', rate: { limit: 2, perMs: 60_000 }, tags: ['a', 'b'], gone: true }
    const after = { role: 'operator', rate: { limit: 5, perMs: 60_000 }, tags: ['a', 'c', 'd'], come: 1 }
    expect(changesOf(before, after)).toEqual([
      { path: 'come', before: undefined, after: 1 },
      { path: 'gone', before: true, after: undefined },
      { path: 'rate.limit', before: 2, after: 5 },
      { path: 'role', before: 'viewer', after: 'operator' },
      { path: 'tags[1]', before: 'b', after: 'c' },
      { path: 'tags[2]', before: undefined, after: 'd' },
    ])
  })

  it('is the whole where it was made, taken away, or became something else', () => {
    expect(changesOf(null, { a: 1 })).toEqual([{ path: '', before: undefined, after: { a: 1 } }])
    expect(changesOf({ a: 1 }, null)).toEqual([{ path: '', before: { a: 1 }, after: undefined }])
    expect(changesOf({ a: [1] }, { a: { b: 1 } })).toEqual([{ path: 'a', before: [1], after: { b: 1 } }])
  })

  it('is nothing where nothing changed, and ends somewhere where everything did', () => {
    expect(changesOf({ a: { b: [1, 2] } }, { a: { b: [1, 2] } })).toEqual([])
    const many = (value: number) => Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, value]))
    expect(changesOf(many(1), many(2))).toHaveLength(100)
  })
})
