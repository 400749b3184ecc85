import { expect, it } from 'vitest'
import { BULK_OPTIONS } from '../../packages/engine/src/verb/bulk/bulk-options.ts'
import { VERB_OPTIONS } from '../../packages/server/src/wire/verb-options.ts'

it('batches take the same options from programs and over REST', () => {
  const named = (all: Readonly<Record<string, object>>) =>
    Object.fromEntries(Object.entries(all).map(([verb, options]) => [verb, Object.keys(options).sort()]))
  const overRest = Object.fromEntries(Object.entries(VERB_OPTIONS).map(([verb, { properties }]) => [verb, properties]))
  expect(named(BULK_OPTIONS)).toEqual(named(overRest))
})
