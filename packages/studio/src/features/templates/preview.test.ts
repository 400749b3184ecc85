import { describe, expect, it } from 'vitest'
import { INNER, previewOf, SIZE } from './preview.ts'
import { templates } from './templates.ts'

const step = (id: string) => ({ id, type: 'log' })

describe('the picture of a graph', () => {
  it('puts a step behind all that lead to it', () => {
    const connections = [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'c' },
    ]
    const { boxes, lines } = previewOf({ activities: [step('c'), step('a'), step('b')], connections })
    const x = Object.fromEntries(boxes.map((box) => [box.id, box.x]))
    expect([x.a! < x.b!, x.b! < x.c!, lines.length]).toEqual([true, true, 3])
  })

  it('makes room for what is inside a container', () => {
    const inside = { activities: [step('x'), step('y')] }
    const { boxes, height } = previewOf({ activities: [{ id: 'try', type: 'try', body: inside, catch: inside }] })
    expect(boxes[0]?.inside).toHaveLength(4)
    expect(new Set(boxes[0]?.inside.map(({ y }) => y)).size).toBe(2)
    expect([boxes[0]!.width > 2 * INNER, height > SIZE]).toEqual([true, true])
  })

  it('comes to an end where steps go in a circle, and is empty where there are none', () => {
    const connections = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    expect(previewOf({ activities: [step('a'), step('b')], connections }).boxes).toHaveLength(2)
    expect(previewOf({ activities: [] })).toMatchObject({ width: 0, height: 0, boxes: [] })
  })

  it('has all steps of every template inside of it', () => {
    for (const { key, document } of templates) {
      const { boxes, width, height } = previewOf(document)
      expect([key, boxes.length]).toEqual([key, document.activities.length])
      for (const box of boxes) {
        expect([key, box.x + box.width <= width, box.y >= 0, box.y + box.height <= height]).toEqual([
          key,
          true,
          true,
          true,
        ])
      }
    }
  })
})
