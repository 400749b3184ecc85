import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INSTANCE_FILTER_NAMES } from './filter-names.ts'
import { InvalidFilter, readFilterText } from './filter-text.ts'
import { readInstanceFilter } from './instance-filter.ts'
import { readInstant } from './instant.ts'

const read = (text: string) => readFilterText(text, INSTANCE_FILTER_NAMES)
const NOW = Date.UTC(2026, 2, 29, 12)

/** Text as people write it, the parameters it becomes, and what they mean: the one table of the grammar. */
const table: readonly (readonly [text: string, parameters: object, meaning: object])[] = [
  ['', {}, {}],
  ['status=faulted', { status: 'faulted' }, { statuses: ['faulted'] }],
  ['status=faulted,suspended', { status: 'faulted,suspended' }, { statuses: ['faulted', 'suspended'] }],
  ['definition=order version=2', { definition: 'order', version: '2' }, { definitionIds: ['order'], version: '2' }],
  [
    'definition=a&status=running',
    { definition: 'a', status: 'running' },
    { definitionIds: ['a'], statuses: ['running'] },
  ],
  ['correlation="a b"', { correlation: 'a b' }, { correlationId: 'a b' }],
  ['correlation=\'say "hi"\'', { correlation: 'say "hi"' }, { correlationId: 'say "hi"' }],
  ['correlation="a \\"b\\" \\\\"', { correlation: 'a "b" \\' }, { correlationId: 'a "b" \\' }],
  ['createdAt>=-1h', { 'createdAt[gte]': '-1h' }, { created: { from: NOW - 3_600_000, until: undefined } }],
  ['createdAt[gte]=-1h', { 'createdAt[gte]': '-1h' }, { created: { from: NOW - 3_600_000, until: undefined } }],
  ['createdAt>2026-03-01', { 'createdAt[gt]': '2026-03-01' }, { created: { from: Date.UTC(2026, 2, 1) + 1 } }],
  [
    'finishedAt<=2026-03-01T00:00:00Z',
    { 'finishedAt[lte]': '2026-03-01T00:00:00Z' },
    { finished: { until: Date.UTC(2026, 2, 1) + 1 } },
  ],
  ['input.customer.id=42', { 'input.customer.id': '42' }, { input: [{ path: ['customer', 'id'], value: '42' }] }],
  ['input.name="Ann Lee"', { 'input.name': 'Ann Lee' }, { input: [{ path: ['name'], value: 'Ann Lee' }] }],
]

describe('the grammar of filters', () => {
  it.each(table)('%s', (text, parameters, meaning) => {
    expect(read(text)).toEqual(parameters)
    expect(readInstanceFilter(parameters as Record<string, unknown>, NOW)).toMatchObject(meaning)
  })

  it.each([
    ['status', /write name=value/],
    ['colour=red', /use status, definition/],
    ['input.=1', /use status/],
    ['status=a status=b', /stands there twice/],
    ['createdAt[gte]>=-1h', /not both/],
    ['correlation="open', /write name=value/],
    ['correlation="a"b', /write name=value/],
    ['=x', /write name=value/],
  ])('refuses %s with the fix', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it('reads back whatever was quoted, and never fails otherwise than with its own error', () => {
    const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(read(`correlation=${quoted(text)} status=running`)).toEqual({ correlation: text, status: 'running' })
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          read(text)
        } catch (error) {
          expect(InvalidFilter.is(error)).toBe(true)
        }
      }),
    )
  })

  it.each([
    [{ status: 'odd' }, /"status" must be one or more of queued/],
    [{ definition: 'A B' }, /"definition" must be ids of workflows/],
    [{ 'createdAt[gte]': 'yesterday' }, /"createdAt\[gte\]": write an instant/],
    [{ 'createdAt[gte]': '2026-02-30' }, /write an instant/],
    [{ 'createdAt[gte]': '-1 fortnight' }, /"createdAt\[gte\]": /],
    [{ parent: 'nothing' }, /wfi/],
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
