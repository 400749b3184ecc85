import { describe, expect, it } from 'vitest'
import { formatOf } from './format-of.ts'

describe('the format of a text', () => {
  it('is told by what it looks like', () => {
    expect(formatOf('id: a\nactivities: []')).toBe('yaml')
    expect(formatOf('  {"id": "a", "activities": []}')).toBe('json')
    expect(formatOf('[{"id": "a"}]')).toBe('json')
    expect(formatOf('{"definitionId": "x", "root": {"type": "Elsa.Flowchart"}}')).toBe('elsa')
  })
})
