import { describe, expect, it } from 'vitest'
import { bodiesOf, Design, type JsonObject } from '../model/index.ts'
import type { DesignNode } from './canvas-nodes.ts'
import { draw } from './geometry.ts'
import { bodyAt } from './under-pointer.ts'

const at = (x: number, y: number) => ({ layout: { position: { x, y } } })
const document = {
  id: 'nested',
  activities: [
    {
      ...{ id: 'outer', type: 'try', ...at(0, 0) },
      body: { activities: [{ id: 'each', type: 'for-each', body: { activities: [] }, ...at(0, 0) }] },
      catch: { activities: [] },
    },
    { id: 'alone', type: 'log', ...at(0, 600) },
  ],
} as JsonObject

function drawn(folded: readonly string[] = []) {
  const read = Design.fromGraph(document)
  if (read.status !== 'read') throw new Error(read.reason)
  const { view } = read.design
  const { nodes: places } = draw(view, (step) => step.position ?? { x: 0, y: 0 }, new Set(folded))
  const nodes = new Map(
    [...places].map(([id, { x, y, width, height, parent }]) => {
      const type = view.bodies.has(id) ? 'part' : bodiesOf(view, id).length > 0 ? 'container' : 'step'
      const data = { inside: folded.includes(id) ? 1 : undefined }
      return [id, { id, type, position: { x, y }, width, height, parentId: parent, data } as unknown as DesignNode]
    }),
  )
  return { view, nodes }
}

describe('the body under a point', () => {
  const { view, nodes } = drawn()
  const none = new Set<string>()
  const catchBox = nodes.get('outer/catch')!
  const each = nodes.get('each')!

  it('is that of the innermost container, and the workflow itself beside them', () => {
    expect(bodyAt({ x: 60, y: 100 }, nodes, view, none)).toBe('each/body')
    expect(bodyAt({ x: catchBox.position.x + 50, y: 90 }, nodes, view, none)).toBe('outer/catch')
    expect(bodyAt({ x: 20 + (each.width ?? 0), y: 40 }, nodes, view, none)).toBe('outer/body')
    expect(bodyAt({ x: -10, y: 100 }, nodes, view, none)).toBe('')
    expect(bodyAt({ x: 60, y: 620 }, nodes, view, none)).toBe('')
  })

  it('is the nearest part where the point is on the container and in none of them', () => {
    expect(bodyAt({ x: 5, y: 5 }, nodes, view, none)).toBe('outer/body')
    expect(bodyAt({ x: catchBox.position.x + 40, y: 5 }, nodes, view, none)).toBe('outer/catch')
  })

  it('is never inside what is moved, nor in what is folded', () => {
    expect(bodyAt({ x: 60, y: 100 }, nodes, view, new Set(['each']))).toBe('outer/body')
    expect(bodyAt({ x: 60, y: 100 }, nodes, view, new Set(['outer']))).toBe('')
    const folded = drawn(['outer'])
    expect(bodyAt({ x: 60, y: 30 }, folded.nodes, folded.view, none)).toBe('')
  })
})
