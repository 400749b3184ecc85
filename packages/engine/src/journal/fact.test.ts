import { describe, expect, it } from 'vitest'
import { type Fact, factFromRow, factToRow } from './fact.ts'

describe('a fact', () => {
  it('comes back from its journal row as it was', () => {
    const fact: Fact = { kind: 'completed', step: 'loop[3].ask#2', outcome: 'done', output: { kind: 'x' }, by: 'event' }
    const { kind, data } = factToRow(fact)
    expect(kind).toBe('completed')
    expect(factFromRow({ kind, data: JSON.parse(data) })).toEqual(fact)
  })
})
