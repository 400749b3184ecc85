import { describe, expect, it } from 'vitest'
import { type BulkRequest, resolveBulk } from './bulk-request.ts'

describe('a bulk request', () => {
  it.each([
    ['filter', { verb: 'pause', filter: {} }],
    ['filter', { verb: 'pause' }],
    ['verb', { verb: 'explode', filter: { definitionId: 'x' } }],
    ['options.version', { verb: 'migrate', filter: { definitionId: 'x' } }],
    ['filter.version', { verb: 'pause', filter: { version: 1 } }],
    ['filter.instanceIds', { verb: 'pause', filter: { instanceIds: ['nonsense'] } }],
    ['filter.statuses', { verb: 'pause', filter: { statuses: [] } }],
    ['filter.createdFrom', { verb: 'pause', filter: { createdFrom: Number.NaN } }],
    ['limit', { verb: 'pause', filter: { definitionId: 'x' }, limit: 0 }],
    ['note', { verb: 'pause', filter: { definitionId: 'x' }, note: '' }],
  ])('names %s when it is wrong', (option, request) => {
    expect(() => resolveBulk(request as BulkRequest)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ option }) }),
    )
  })

  it('is about those that its verb can mean anything for, unless it says which', () => {
    const filter = { definitionId: 'x', correlationId: undefined }
    expect(resolveBulk({ verb: 'retry', filter })).toEqual({
      ...{ tenant: 'default', verb: 'retry', options: {}, limit: 100_000, note: undefined },
      filter: { definitionId: 'x', statuses: ['faulted', 'quarantined'] },
    })
    const id = '00000000-0000-7000-8000-000000000000'
    expect(resolveBulk({ verb: 'pause', filter: { instanceIds: [id] } }).filter).toEqual({ instanceIds: [id] })
    expect(resolveBulk({ verb: 'pause', filter: { statuses: ['queued'] } }).filter).toEqual({ statuses: ['queued'] })
  })
})
