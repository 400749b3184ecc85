import { describe, expect, it } from 'vitest'
import { runToy, toyDocument, toyVerdict } from './toy-shell.fixture.ts'

describe('a graph', () => {
  it('runs a line of steps one after the other', () => {
    const run = runToy(toyDocument(['a', 'b', 'c'], ['a -> b', 'b -> c']))
    expect(run.ran).toEqual(['a', 'b', 'c'])
    expect(toyVerdict(run)).toEqual({ status: 'completed', output: {} })
  })
})
