import { describe, expect, it } from 'vitest'
import { toyDocument, toyProgram } from './fixtures/toy-shell.fixture.ts'
import { foldJournal } from './fold-journal.ts'

const program = toyProgram(toyDocument(['a', 'b', 'c'], ['a -> b', 'b -> c']))
const rows = [
  { seq: 1, kind: 'started', data: { input: 7, depth: 3 }, at: 100 },
  { seq: 2, kind: 'completed', data: { step: 'a' }, at: 200 },
  { seq: 3, kind: 'waiting', data: { step: 'b', wait: { kind: 'timer', ms: 50 } }, at: 300 },
  { seq: 4, kind: 'completed', data: { step: 'b' }, at: 400 },
]
const snapshotAfter = (count: number) => ({
  state: JSON.parse(JSON.stringify(foldJournal(program, undefined, rows.slice(0, count)))),
  at: rows[count - 1]!.at,
})

describe('a journal', () => {
  it.each([1, 2, 3, 4])('comes to the same state from a snapshot after fact %i', (count) => {
    const whole = foldJournal(program, undefined, rows)
    expect(foldJournal(program, snapshotAfter(count), rows.slice(count))).toEqual(whole)
    expect(whole).toMatchObject({ seq: 4, input: 7 })
  })

  it('keeps through a snapshot how many workflows stand above it', () => {
    expect(foldJournal(program, snapshotAfter(2), []).depth).toBe(3)
  })
})
