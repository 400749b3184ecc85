import type { Json } from '@lockstep/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomDocuments } from '../graph/fixtures/random-document.fixture.ts'
import { checkExtent } from './check-extent.ts'

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const named = (count: number, prefix: string): Record<string, Json> =>
  Object.fromEntries(many(count, (n) => [`${prefix}${n}`, n]))
const nested = (depth: number, inner: Json): Json =>
  many(depth, () => 0).reduce<Json>((body) => ({ activities: [{ id: 'l', type: 'for-each', body }] }), inner)

describe('the extent of a document', () => {
  it.each<readonly [string, Json, string]>([
    ['activities that are numbers', { id: 'a', activities: many(6_000, () => 1) }, '/activities TOO_MANY_ACTIVITIES'],
    [
      'activities in many branches',
      { id: 'a', activities: many(100, () => ({ branches: many(10, () => ({ activities: many(10, () => null) })) })) },
      '/activities/0/activities TOO_MANY_ACTIVITIES',
    ],
    ['connections', { id: 'a', activities: [], connections: many(30_000, () => 1) }, '/connections OUT_OF_RANGE'],
    ['variables', { id: 'a', activities: [], variables: named(2_000, 'v') }, '/variables OUT_OF_RANGE'],
    ['inputs', { id: 'a', activities: [{ inputs: named(60_000, 'i') }] }, ' OUT_OF_RANGE'],
    ['branches', { id: 'a', activities: [{ branches: many(20_000, () => 1) }] }, '/activities/0 OUT_OF_RANGE'],
    [
      'codes',
      { id: 'a', activities: [{ retry: { nonRetryable: many(20_000, () => 1) } }] },
      '/activities/0 OUT_OF_RANGE',
    ],
    ['unknown fields', { ...named(200, 'f'), id: 'a' }, ' UNKNOWN_FIELD'],
    ['unknown fields of activities', { id: 'a', activities: many(50, () => named(5, 'f')) }, ' UNKNOWN_FIELD'],
    [
      'unknown fields of connections',
      { id: 'a', activities: [], connections: many(50, () => named(5, 'f')) },
      ' UNKNOWN_FIELD',
    ],
  ])('is too much: %s', (_, document, expected) => {
    const found = checkExtent(document)
    expect(found?.severity).toBe('error')
    expect(found?.code).toBe(expected.split(' ')[1])
    expect(found?.pointer.replaceAll(/\d+/g, '0')).toBe(expected.split(' ')[0])
  })

  it.each<readonly [string, Json]>([
    ['nothing', null],
    ['a list', [1, 2]],
    [
      'what only designers know',
      { id: 'a', activities: [{ id: 'a', type: 'log', ...named(500, 'x-') }], ...named(500, 'x-') },
    ],
    ['great depth', nested(10_000, { activities: [] })],
  ])('does not matter: %s', (_, document) => {
    const found = checkExtent(document)
    expect(found === undefined || found.code === 'TOO_MANY_ACTIVITIES').toBe(true)
  })

  it('is fine for every random document', () => {
    fc.assert(
      fc.property(randomDocuments(), (document) => {
        expect(checkExtent(document as unknown as Json)).toBeUndefined()
      }),
    )
  })
})
