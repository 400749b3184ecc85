import { describe, expect, it } from 'vitest'
import { Design } from '../model/index.ts'
import { draw, HEAD, PADDING } from './geometry.ts'

const read = Design.fromGraph({
  id: 'a',
  activities: [
    {
      id: 'pay',
      type: 'try',
      body: { activities: [{ id: 'charge', type: 'log', layout: { position: { x: 300, y: 100 } } }] },
      catch: { activities: [] },
    },
    { id: 'each', type: 'for-each', body: { activities: [{ id: 'inner', type: 'log' }] } },
  ],
})
const { view } = read.status === 'read' ? read.design : undefined!
const { nodes } = draw(view, (step) => step.position ?? { x: 0, y: 0 })

describe('the places of nodes', () => {
  it('name what holds a node before the node itself', () => {
    expect([...nodes.keys()]).toEqual(['pay', 'pay/body', 'charge', 'pay/catch', 'each', 'inner'])
    for (const { parent } of nodes.values()) if (parent !== undefined) expect(nodes.has(parent)).toBe(true)
  })

  it('make a container large enough for all that is inside it', () => {
    for (const { x, y, width, height, parent } of nodes.values()) {
      if (parent === undefined) continue
      const holder = nodes.get(parent)!
      expect(x + width + PADDING).toBeLessThanOrEqual(holder.width)
      expect(y + height + PADDING).toBeLessThanOrEqual(holder.height)
    }
  })

  it('leave out what is inside a folded container, which is as large as a step', () => {
    const folded = draw(view, (step) => step.position ?? { x: 0, y: 0 }, new Set(['pay']))
    expect([...folded.nodes.keys()]).toEqual(['pay', 'each', 'inner'])
    expect(folded.nodes.get('pay')).toMatchObject({ width: 200, height: 58 })
  })

  it('put the steps of a container with one body right into its frame', () => {
    expect(nodes.get('inner')).toMatchObject({ parent: 'each', x: PADDING, y: HEAD })
  })
})
