import { describe, expect, it } from 'vitest'
import { Freeze } from './freeze.ts'

describe('a freeze', () => {
  it('lets things happen at once while it is off, and in their order when it is over', () => {
    const freeze = new Freeze()
    const seen: string[] = []
    freeze.afterwards(() => seen.push('before'))
    freeze.begin()
    freeze.afterwards(() => seen.push('first'))
    freeze.afterwards(() => seen.push('second'))
    expect(seen).toEqual(['before'])
    freeze.end()
    expect(seen).toEqual(['before', 'first', 'second'])
  })

  it('holds back the rest when one of those that waited freezes again', () => {
    const freeze = new Freeze()
    const seen: string[] = []
    freeze.begin()
    freeze.afterwards(() => {
      seen.push('first')
      freeze.begin()
    })
    freeze.afterwards(() => seen.push('second'))
    freeze.end()
    expect(seen).toEqual(['first'])
    freeze.end()
    expect(seen).toEqual(['first', 'second'])
  })

  it('lets nothing happen once the instance is out of hand', () => {
    const freeze = new Freeze()
    let count = 0
    freeze.begin()
    freeze.afterwards(() => (count += 1))
    freeze.close()
    freeze.end()
    freeze.afterwards(() => (count += 1))
    expect(count).toBe(0)
  })
})
