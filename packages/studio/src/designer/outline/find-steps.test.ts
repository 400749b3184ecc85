import { describe, expect, it } from 'vitest'
import { Design } from '../model/index.ts'
import { findSteps } from './find-steps.ts'

function viewOf() {
  const read = Design.fromGraph({
    id: 'order',
    activities: [
      { id: 'greet', name: 'Greet the customer', type: 'log', inputs: { message: 'hello' } },
      { id: 'ask', type: 'http-request', inputs: { url: { $expr: '"http://shop/" + input.customerId' } } },
      { id: 'sell', type: 'log', inputs: { message: 'sold' }, retry: { attempts: 7 } },
    ],
  })
  if (read.status !== 'read') throw new Error(read.reason)
  return read.design.view
}

const ids = (text: string) => findSteps(viewOf(), text).map(({ step, place }) => [step.id, place])

describe('looking for steps', () => {
  it('finds names before values, whatever their capitals', () => {
    expect(ids('CUSTOMER')).toEqual([
      ['greet', undefined],
      ['ask', 'url: "http://shop/" + input.customerId'],
    ])
  })

  it('finds types, ids and other fields', () => {
    expect(ids('http-req')).toEqual([['ask', undefined]])
    expect(ids('7')).toEqual([['sell', 'retry.attempts: 7']])
    expect(ids('nowhere')).toEqual([])
  })

  it('by what its type is called in the list of steps', () => {
    const read = Design.fromGraph({ id: 'f', activities: [{ id: 'each', type: 'for-each', body: { activities: [] } }] })
    if (read.status !== 'read') throw new Error(read.reason)
    const titleOf = (type: string) => (type === 'for-each' ? 'For each' : undefined)
    expect(findSteps(read.design.view, 'for each', titleOf).map(({ step }) => step.id)).toEqual(['each'])
    expect(findSteps(read.design.view, 'for each')).toEqual([])
  })
})
