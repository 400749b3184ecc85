import { describe, expect, it } from 'vitest'
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
      ['Body', 2, 1, 2],
      ['charge', 3, 1, 1],
      ['Catch', 2, 2, 2],
      ['tell', 3, 1, 1],
      ['each', 1, 2, 3],
      ['inner', 2, 1, 1],
      ['last', 1, 3, 3],
    ])
  })

  it('leaves out what is folded away', () => {
    expect(shown(['pay/body', 'each']).map(([label]) => label)).toEqual([
      'pay',
      'Body',
      'Catch',
      'tell',
      'each',
      'last',
    ])
  })
})
