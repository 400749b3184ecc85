import { describe, expect, it } from 'vitest'
import { publishNoteOf, withPublishNote } from './publish-note.ts'

describe('the note of a version', () => {
  it('belongs to one version: the next one does not claim it', () => {
    const document = withPublishNote({ id: 'a' }, 3, 'Prices in euro')
    expect(publishNoteOf(document, 3)).toBe('Prices in euro')
    expect(publishNoteOf(document, 4)).toBeUndefined()
  })

  it('is nothing where something else stands in its place', () => {
    for (const found of ['text', null, { version: 1 }, { version: '1', text: 'a' }, { version: 1, text: '' }])
      expect(publishNoteOf({ 'x-publish-note': found }, 1)).toBeUndefined()
  })
})
