import { describe, expect, it } from 'vitest'
import { partName } from '../../canvas/part-name.ts'
import { Design } from '../model/index.ts'
import { outlineRows } from './outline-rows.ts'

const read = Design.fromGraph({
  id: 'a',
  activities: [
    { id: 'last', type: 'log' },
    {
      id: 'pay',
      type: 'try',
      body: { activities: [{ id: 'charge', type: 'log' }] },
      catch: { activities: [{ id: 'tell', type: 'log' }] },
    },
    { id: 'each', type: 'for-each', body: { activities: [{ id: 'inner', type: 'log' }] } },
  ],
  connections: [
    { from: 'pay', to: 'each' },
    { from: 'each', to: 'last' },
  ],
})
const view = read.status === 'read' ? read.design.view : undefined!
const shown = (folded: readonly string[]) =>
  outlineRows(view, new Set(folded)).map(({ label, level, position, count }) => [label, level, position, count])

describe('the outline', () => {
  it('lists steps in the order they run, with what is inside them below', () => {
    expect(shown([])).toEqual([
      ['pay', 1, 1, 3],
      ['Try', 2, 1, 2],
      ['charge', 3, 1, 1],
      ['Catch', 2, 2, 2],
      ['tell', 3, 1, 1],
      ['each', 1, 2, 3],
      ['inner', 2, 1, 1],
      ['last', 1, 3, 3],
    ])
  })

  it('leaves out what is folded away', () => {
    expect(shown(['pay/body', 'each']).map(([label]) => label)).toEqual(['pay', 'Try', 'Catch', 'tell', 'each', 'last'])
  })

  it('names the parts of a step as the drawing does', () => {
    const parts = outlineRows(view, new Set()).filter(({ step }) => step === undefined)
    expect(parts.map(({ label }) => label)).toEqual(['body', 'catch'].map((slot) => partName('try', slot)))
  })
})
