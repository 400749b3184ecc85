import { describe, expect, it } from 'vitest'
import { builtInCatalogue } from '../activity/built-in.ts'
import type { GraphDocument } from '../graph/document.ts'
import { testDocument } from './test-document.ts'

const catalogue = builtInCatalogue()
const log = (id: string) => ({ id, type: 'log', inputs: { message: id } })
const ids = ({ activities }: Pick<GraphDocument, 'activities'>) => activities.map(({ id }) => id)

describe('the document of a test run', () => {
  it('begins where a start by hand begins, without what only triggers lead to', () => {
    const tested = testDocument(
      {
        id: 'a',
        flow: { singleton: 'skip' } as never,
        activities: [{ id: 'nightly', type: 'cron', inputs: { cron: '0 3 * * *' } }, log('sweep'), log('by-hand')],
        connections: [{ from: 'nightly', to: 'sweep' }],
      },
      catalogue,
    )
    expect(ids(tested)).toEqual(['by-hand'])
    expect(tested.connections).toEqual([])
    expect(tested).not.toHaveProperty('flow')
  })

  it('begins at its triggers where there is nothing else, and arms none of them', () => {
    const tested = testDocument(
      {
        id: 'a',
        activities: [{ id: 'nightly', name: 'Each night', type: 'cron', inputs: { cron: '0 3 * * *' } }, log('sweep')],
        connections: [{ from: 'nightly', to: 'sweep' }],
      },
      catalogue,
    )
    expect(tested.activities[0]).toEqual({
      id: 'nightly',
      name: 'Each night',
      type: 'transform',
      inputs: { value: null },
    })
    expect(ids(tested)).toEqual(['nightly', 'sweep'])
  })

  it('keeps what leads to the last step, and nothing behind it', () => {
    const tested = testDocument(
      {
        id: 'a',
        activities: [log('one'), log('two'), log('three'), log('beside')],
        connections: [
          { from: 'one', to: 'two' },
          { from: 'two', to: 'three' },
          { from: 'one', outcome: 'failed', to: 'beside' },
        ],
      },
      catalogue,
      'two',
    )
    expect(ids(tested)).toEqual(['one', 'two'])
    expect(tested.connections).toEqual([{ from: 'one', to: 'two' }])
  })

  it('ends inside a container too', () => {
    const tested = testDocument(
      {
        id: 'a',
        activities: [
          log('one'),
          {
            id: 'each',
            type: 'for-each',
            inputs: { items: [1] },
            body: { activities: [log('in'), log('after')], connections: [{ from: 'in', to: 'after' }] },
          },
          log('last'),
        ],
        connections: [
          { from: 'one', to: 'each' },
          { from: 'each', to: 'last' },
        ],
      },
      catalogue,
      'in',
    )
    expect(ids(tested)).toEqual(['one', 'each'])
    expect(ids(tested.activities[1]!.body!)).toEqual(['in'])
  })
})
