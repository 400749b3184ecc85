import { describe, expect, it } from 'vitest'
import { snap } from './snap.ts'

const box = (x: number, y: number, width = 200, height = 60) => ({ x, y, width, height })

describe('snap lines', () => {
  it('bring a box level with the nearest other, and say what it is level with', () => {
    const { by, lines } = snap(box(104, 300), [box(100, 0), box(500, 600)])
    expect(by).toEqual({ x: -4, y: 0 })
    expect(lines).toContainEqual({ axis: 'x', at: 100, from: 0, to: 360 })
    expect(lines).toContainEqual({ axis: 'x', at: 300, from: 0, to: 360 })
    expect(lines).toHaveLength(2)
  })

  it('compare middles of boxes of another size', () => {
    const { by, lines } = snap(box(52, 200, 100), [box(0, 0, 200)])
    expect(by).toEqual({ x: -2, y: 0 })
    expect(lines).toEqual([{ axis: 'x', at: 100, from: 0, to: 260 }])
  })

  it('leave alone what is out of reach', () => {
    expect(snap(box(50, 100), [box(0, 0)])).toEqual({ by: { x: 0, y: 0 }, lines: [] })
  })
})
