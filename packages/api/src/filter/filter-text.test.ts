import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidFilter, readFilterText } from './filter-text.ts'
import { isFilterParameter } from './parse-filter.ts'

describe('the grammar of filters', () => {
  it.each([
    ['', {}],
    ['status=faulted', { status: 'faulted' }],
    ['status: faulted', { status: 'faulted' }],
    ['status=faulted,suspended', { status: 'faulted,suspended' }],
    ['definition=order version=2', { definition: 'order', version: '2' }],
    ['definition=a&status=running', { definition: 'a', status: 'running' }],
    ['correlation="a b"', { correlation: 'a b' }],
    ['correlation=\'say "hi"\'', { correlation: 'say "hi"' }],
    ['correlation="a \\"b\\" \\\\"', { correlation: 'a "b" \\' }],
    ['createdAt>=-1h', { 'createdAt[gte]': '-1h' }],
    ['createdAt[gte]=-1h', { 'createdAt[gte]': '-1h' }],
    ['startedAt>=-1h', { 'startedAt[gte]': '-1h' }],
    ['startedAt[lt]=2026-03-01', { 'startedAt[lt]': '2026-03-01' }],
    ['createdAt>2026-03-01', { 'createdAt[gt]': '2026-03-01' }],
    ['finishedAt<=2026-03-01T00:00:00Z', { 'finishedAt[lte]': '2026-03-01T00:00:00Z' }],
    ['input.customer.id=42', { 'input.customer.id': '42' }],
    ['tag=eu,team:billing', { tag: 'eu,team:billing' }],
    ['tag=eu q="order 4"', { tag: 'eu', q: 'order 4' }],
    ['q:wfi_019a', { q: 'wfi_019a' }],
    ['input.name="Ann Lee"', { 'input.name': 'Ann Lee' }],
  ])('%s', (text, parameters) => {
    expect(readFilterText(text)).toEqual(parameters)
    expect(Object.keys(parameters).filter((name) => !isFilterParameter(name))).toEqual([])
  })

  it.each([
    ['status', /write name=value/],
    ['colour=red', /use status, definition/],
    ['input.=1', /use status/],
    ['status=a status=b', /stands there twice: write status=a,b for either/],
    ['correlation=a correlation=b', /stands there twice: it takes one value/],
    ['createdAt[gte]>=-1h', /not both/],
    ['createdAt=-1h', /write createdAt>=-1h/],
    ['startedAt=-1h', /write startedAt>=-1h/],
    ['started>=-1h', /use status, definition, .*startedAt/],
    ['createdAt[about]=-1h', /write createdAt>=-1h/],
    ['status>faulted', /write status=…/],
    ['tag>=eu', /write tag=…/],
    ['tag=eu tag=us', /write tag=a,b for either/],
    ['tags=eu', /use status, definition, version, correlation, parent, tag, q,/],
    ['correlation="open', /write name=value/],
    ['correlation="a"b', /write name=value/],
    ['correlation=a b', /write name=value/],
    ['=x', /write name=value/],
  ])('refuses %s with the fix', (text, message) => {
    expect(() => readFilterText(text)).toThrow(message)
  })

  it('reads back whatever was quoted, and never fails otherwise than with its own error', () => {
    const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readFilterText(`correlation=${quoted(text)} status=running`)
        expect(read).toEqual({ correlation: text, status: 'running' })
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          readFilterText(text)
        } catch (error) {
          expect(InvalidFilter.is(error)).toBe(true)
        }
      }),
    )
  })
})
