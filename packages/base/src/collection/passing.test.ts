import { describe, expect, it } from 'vitest'
import { PassingMap, PassingSet } from '../index.ts'

describe('PassingMap', () => {
  it('is a map', () => {
    const map = new PassingMap<string, number>()
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    expect([map.size, map.get('a'), map.get('b'), map.get('c'), map.has('c')]).toEqual([2, 3, 2, undefined, false])
    expect([...map.values()]).toEqual([3, 2])
    expect([map.delete('a'), map.delete('a'), map.get('a'), map.size]).toEqual([true, false, undefined, 1])
    map.clear()
    expect([...map.values()]).toEqual([])
  })

  it('may be changed while it is gone through', () => {
    const map = new PassingMap<number, number>()
    for (const each of [1, 2, 3]) map.set(each, each)
    const seen: number[] = []
    for (const each of map.values()) {
      seen.push(each)
      map.delete(each)
      map.delete(2)
      if (each === 1) map.set(4, 4)
    }
    expect(seen).toEqual([1, 3, 4])
  })
})

describe('PassingSet', () => {
  it('gives out what came first, each once, and takes it again', () => {
    const [a, b, c] = [{}, {}, {}]
    const set = new PassingSet<object>()
    for (const each of [a, b, a, c]) set.add(each)
    expect([set.size, set.take(0)]).toEqual([3, []])
    expect(set.take(2)).toEqual([a, b])
    set.add(a)
    expect([set.take(5), set.size, set.take(5)]).toEqual([[c, a], 0, []])
    set.add(b)
    set.clear()
    expect(set.size).toBe(0)
  })
})
