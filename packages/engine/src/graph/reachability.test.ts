import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reachability } from './reachability.ts'

const isSet = (row: Uint32Array, bit: number): boolean => ((row[bit >>> 5]! >>> (bit & 31)) & 1) === 1

describe('reachability', () => {
  it('is what a search from each activity finds', () => {
    const graphs = fc
      .integer({ min: 1, max: 70 })
      .chain((size) => fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }))
    fc.assert(
      fc.property(graphs, (targets) => {
        const rows = reachability(targets)
        targets.forEach((direct, from) => {
          const found = new Set(direct)
          for (const at of found) for (const next of targets[at]!) found.add(next)
          for (let to = 0; to < targets.length; to++) expect(isSet(rows[from]!, to)).toBe(found.has(to))
        })
      }),
    )
  })

  it('copes with a chain of thousands that closes on itself', () => {
    const length = 5_000
    const rows = reachability(Array.from({ length }, (_, n) => [(n + 1) % length]))
    expect(rows.every((row) => isSet(row, 0) && isSet(row, length - 1))).toBe(true)
  })
})
