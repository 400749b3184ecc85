import { describe, expect, it } from 'vitest'
import { readInstanceFilter } from './instance-filter.ts'
import { readInstant } from './instant.ts'

const NOW = Date.UTC(2026, 2, 29, 12)

describe('parameters of filters', () => {
  it.each([
    [{}, {}],
    [{ status: 'faulted,suspended' }, { statuses: ['faulted', 'suspended'] }],
    [
      { definition: 'order', version: 2 },
      { definitionIds: ['order'], version: 2 },
    ],
    [{ correlation: 'a "b"' }, { correlationId: 'a "b"' }],
    [{ 'createdAt[gte]': '-1h' }, { created: { from: NOW - 3_600_000, until: undefined } }],
    [{ 'startedAt[gte]': '-1h' }, { started: { from: NOW - 3_600_000, until: undefined } }],
    [{ 'createdAt[gt]': '2026-03-01' }, { created: { from: Date.UTC(2026, 2, 1) + 1 } }],
    [{ 'finishedAt[lte]': '2026-03-01T00:00:00Z' }, { finished: { until: Date.UTC(2026, 2, 1) + 1 } }],
    [{ tag: 'eu, team:billing' }, { tags: ['eu', 'team:billing'] }],
    [{ q: ' order 4 ' }, { text: 'order 4' }],
    [{ 'input.customer.id': '42' }, { input: [{ path: ['customer', 'id'], value: '42' }] }],
  ])('%j', (parameters, meaning) => {
    expect(readInstanceFilter(parameters as Record<string, unknown>, NOW)).toMatchObject(meaning)
  })

  it.each([
    [{ status: 'odd' }, /"status" must be one or more of queued/],
    [{ definition: 'A B' }, /"definition" must be ids of workflows/],
    [{ 'createdAt[gte]': 'yesterday' }, /"createdAt\[gte\]": write an instant/],
    [{ 'startedAt[lt]': 'soon' }, /"startedAt\[lt\]": write an instant/],
    [{ 'createdAt[gte]': '2026-02-30' }, /write an instant/],
    [{ 'createdAt[gte]': '-1 fortnight' }, /"createdAt\[gte\]": /],
    [{ parent: 'wfi_zzz' }, /"parent" must be the id of an instance: wfi_/],
    [{ definition: 'a', definitionId: 'b' }, /"definitionId" is the same as "definition"/],
    [{ definitionId: 'A B' }, /"definitionId" must be ids of workflows/],
    [{ tag: 'two words' }, /"tag" must be tags of workflows/],
    [{ tag: 'eu,' }, /"tag" must be tags of workflows/],
    [{ q: ' ' }, /"q" must be text of 1 to 200 characters/],
  ])('refuses values that mean nothing: %j', (parameters, message) => {
    expect(() => readInstanceFilter(parameters, NOW)).toThrow(message)
  })
})

describe('instants of filters', () => {
  it('are what they say, or a reason', () => {
    expect(readInstant('2026-03-29T01:00:00+02:00', NOW)).toBe(Date.UTC(2026, 2, 28, 23))
    expect(readInstant('0', NOW)).toBe(0)
    for (const text of [
      '',
      '2026-13-01',
      '2026-3-1',
      '2026-03-29T25:00:00Z',
      '1e3',
      '99999999999999999',
      '2026-03-29T01:00:00',
    ])
      expect(readInstant(text, NOW)).toMatchObject({ fault: expect.any(String) })
  })
})
