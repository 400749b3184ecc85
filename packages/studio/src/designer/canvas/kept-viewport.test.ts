import { describe, expect, it } from 'vitest'
import { readViewport, showsAny } from './kept-viewport.ts'

describe('a viewport that was kept', () => {
  it('is taken only where it can be one', () => {
    expect(readViewport('{"x":10,"y":-20,"zoom":0.5}')).toEqual({ x: 10, y: -20, zoom: 0.5 })
    expect(readViewport('{"x":10,"y":-20,"zoom":0}')).toBeUndefined()
    expect(readViewport('{"x":"a","y":-20,"zoom":1}')).toBeUndefined()
    expect(readViewport('{')).toBeUndefined()
    expect(readViewport(null)).toBeUndefined()
  })

  it('is of use only while it shows something', () => {
    const step = { x: 0, y: 0, width: 200, height: 58 }
    const size = { width: 600, height: 400 }
    expect(showsAny({ x: 100, y: 100, zoom: 1 }, size, [step])).toBe(true)
    expect(showsAny({ x: -300, y: 0, zoom: 1 }, size, [step])).toBe(false)
    expect(showsAny({ x: -300, y: 0, zoom: 2 }, size, [step])).toBe(true)
    expect(showsAny({ x: 0, y: 500, zoom: 1 }, size, [step])).toBe(false)
    expect(showsAny({ x: 0, y: 0, zoom: 1 }, size, [])).toBe(false)
  })
})
