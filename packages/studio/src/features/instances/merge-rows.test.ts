import { describe, expect, it } from 'vitest'
import { mergeRows } from './merge-rows.ts'

const row = (id: string, n = 0) => ({ id, n })

describe('a live list', () => {
  it('shows what is there while nobody looks at a row', () => {
    expect(mergeRows([row('a')], [row('b'), row('a')], false)).toEqual({ rows: [row('b'), row('a')], waiting: 0 })
    expect(mergeRows(undefined, [row('a')], true).rows).toEqual([row('a')])
  })

  it('moves nothing under the pointer, but brings rows up to date', () => {
    const shown = [row('a'), row('b')]
    const { rows, waiting } = mergeRows(shown, [row('d'), row('c'), row('a', 1)], true)
    expect(rows).toEqual([row('a', 1), row('b')])
    expect(waiting).toBe(2)
  })
})
