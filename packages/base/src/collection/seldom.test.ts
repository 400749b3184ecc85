import { describe, expect, it } from 'vitest'
import { SeldomMap, SeldomSet } from './seldom.ts'

describe('a collection that is seldom used', () => {
  it('is a set', () => {
    const set = new SeldomSet<string>()
    expect([set.size, set.has('a'), set.delete('a'), [...set]]).toEqual([0, false, false, []])
    set.add('a')
    set.add('b')
    set.add('a')
    expect([set.size, set.has('a'), [...set]]).toEqual([2, true, ['a', 'b']])
    expect([set.delete('a'), [...set]]).toEqual([true, ['b']])
    set.clear()
    expect([set.size, [...set]]).toEqual([0, []])
  })

  it('is a map', () => {
    const map = new SeldomMap<string, number>()
    expect([map.size, map.has('a'), map.get('a'), map.delete('a'), [...map], [...map.values()]]).toEqual([
      0,
      false,
      undefined,
      false,
      [],
      [],
    ])
    map.set('a', 1)
    map.set('b', 2)
    expect([map.size, map.has('a'), map.get('b'), [...map.values()]]).toEqual([2, true, 2, [1, 2]])
    expect([map.delete('a'), [...map]]).toEqual([true, [['b', 2]]])
    map.clear()
    expect([map.size, [...map]]).toEqual([0, []])
  })
})
