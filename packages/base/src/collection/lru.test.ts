import { describe, expect, it } from 'vitest'
import { Lru } from './lru.ts'

describe('Lru', () => {
  it('lets go of what was not used for longest', () => {
    let evicted = 0
    const lru = new Lru<string, number>({ most: 2, onEvicted: () => (evicted += 1) })
    lru.set('a', 1)
    lru.set('b', 2)
    expect(lru.get('a')).toBe(1)
    lru.set('c', 3)
    expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.size, evicted]).toEqual([1, undefined, 3, 2, 1])
  })

  it('keeps the sum of weights below its bound, through replacing and deleting', () => {
    const lru = new Lru<string, string>({ most: 10, mostWeight: 10 })
    lru.set('a', 'x', 6)
    lru.set('a', 'y', 4)
    lru.set('b', 'x', 6)
    expect([lru.weight, lru.size]).toEqual([10, 2])
    lru.set('c', 'x', 1)
    expect([lru.get('a'), lru.weight]).toEqual([undefined, 7])
    expect([lru.delete('b'), lru.delete('b'), lru.weight]).toEqual([true, false, 1])
  })

  it('does not take what is too heavy for it, and does not keep the older value then', () => {
    const lru = new Lru<string, number>({ most: 10, mostWeight: 10 })
    lru.set('a', 1, 5)
    lru.set('a', 2, 11)
    expect([lru.get('a'), lru.size, lru.weight]).toEqual([undefined, 0, 0])
  })
})
