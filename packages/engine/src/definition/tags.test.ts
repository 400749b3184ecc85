import { describe, expect, it } from 'vitest'
import { MOST_TAGS, tagsIn } from './tags.ts'

describe('tags of a document', () => {
  it.each([
    [{ tags: ['eu', 'team:billing', 'a/b.c_d-e'] }, ['eu', 'team:billing', 'a/b.c_d-e']],
    [{ tags: ['eu', 'eu', 7, 'two words', '', 'x'.repeat(41), null] }, ['eu']],
    [{ tags: 'eu' }, []],
    [{}, []],
    [null, []],
    ['text', []],
  ])('%j', (document, tags) => {
    expect(tagsIn(document)).toEqual(tags)
  })

  it('are bounded', () => {
    expect(tagsIn({ tags: Array.from({ length: 50 }, (_, at) => `t${at}`) })).toHaveLength(MOST_TAGS)
  })
})
