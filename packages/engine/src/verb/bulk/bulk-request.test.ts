import { describe, expect, it } from 'vitest'
import { type BulkRequest, resolveBulk } from './bulk-request.ts'

describe('a bulk request', () => {
  it.each([
    ['filter', { verb: 'pause', filter: {} }],
    ['filter', { verb: 'pause' }],
    ['verb', { verb: 'explode', filter: { definitionId: 'x' } }],
    ['options.version', { verb: 'migrate', filter: { definitionId: 'x' } }],
    ['options.version', { verb: 'migrate', filter: { definitionId: 'x' }, options: { version: -4 } }],
    ['options.compensat', { verb: 'cancel', filter: { definitionId: 'x' }, options: { compensat: false } }],
    ['options.children', { verb: 'terminate', filter: { definitionId: 'x' }, options: { children: 5 } }],
    ['options.reason', { verb: 'pause', filter: { definitionId: 'x' }, options: { reason: { a: 1 } } }],
    ['options.reason', { verb: 'delete', filter: { definitionId: 'x' }, options: { reason: 'x' } }],
    ['options.constructor', { verb: 'continue', filter: { definitionId: 'x' }, options: { constructor: 1 } }],
    ['filter.version', { verb: 'pause', filter: { version: 1 } }],
    ['filter.instanceIds', { verb: 'pause', filter: { instanceIds: ['nonsense'] } }],
    ['filter.statuses', { verb: 'pause', filter: { statuses: [] } }],
    ['filter', { verb: 'pause', filter: { excludeIds: ['00000000-0000-7000-8000-000000000000'] } }],
    ['filter.excludeIds', { verb: 'pause', filter: { definitionId: 'x', excludeIds: ['nonsense'] } }],
    ['filter.version', { verb: 'pause', filter: { version: 1, definitionIds: ['a', 'b'] } }],
    ['filter.finishedFrom', { verb: 'pause', filter: { finishedFrom: Number.NaN } }],
    ['filter.createdFrom', { verb: 'pause', filter: { createdFrom: Number.NaN } }],
    ['filter.statuses', { verb: 'pause', filter: { statuses: ['queued'], begun: true } }],
    ['filter.statuses', { verb: 'delete', filter: { statuses: ['running'] } }],
    ['limit', { verb: 'pause', filter: { definitionId: 'x' }, limit: 0 }],
    ['note', { verb: 'pause', filter: { definitionId: 'x' }, note: '' }],
  ])('names %s when it is wrong', (option, request) => {
    expect(() => resolveBulk(request as BulkRequest)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ option }) }),
    )
  })

  it('guesses which option was meant', () => {
    const request = { verb: 'cancel', filter: { definitionId: 'x' }, options: { compensat: false } }
    expect(() => resolveBulk(request as unknown as BulkRequest)).toThrow(/Did you mean "compensate"\?/)
  })

  it('is about those that its verb can mean anything for, unless it says which', () => {
    const filter = { definitionId: 'x', correlationId: undefined }
    expect(resolveBulk({ verb: 'retry', filter })).toEqual({
      ...{ tenant: 'default', verb: 'retry', options: {}, limit: 100_000, note: undefined },
      filter: { definitionId: 'x', statuses: ['faulted', 'quarantined'] },
      asked: { definitionId: 'x' },
      meant: ['faulted', 'quarantined'],
    })
    const id = '00000000-0000-7000-8000-000000000000'
    expect(resolveBulk({ verb: 'pause', filter: { instanceIds: [id] } }).filter).toEqual({ instanceIds: [id] })
    const less = { instanceIds: [id, id.replace('7', '8')], excludeIds: [id] }
    expect(resolveBulk({ verb: 'pause', filter: less }).filter).toEqual({ instanceIds: [id.replace('7', '8')] })
    expect(resolveBulk({ verb: 'pause', filter: { statuses: ['queued'] } }).filter).toEqual({ statuses: ['queued'] })
    const ended = ['completed', 'faulted', 'cancelled', 'terminated']
    expect(resolveBulk({ verb: 'delete', filter: { instanceIds: [id] } }).filter.statuses).toEqual(ended)
    const begun = resolveBulk({ verb: 'pause', filter: { createdFrom: 1, begun: true } })
    expect([begun.filter, begun.meant]).toEqual([
      { createdFrom: 1, statuses: ['running', 'suspended'] },
      ['running', 'suspended'],
    ])
    expect(begun.asked.statuses).toEqual(expect.arrayContaining(['running', 'completed']))
    expect(begun.asked.statuses).not.toContain('queued')
  })
})
