import { expect, it } from 'vitest'
import { idPrefix } from './id-prefix.ts'

it.each([
  ['wfi_019a3f00-7c1d-7000-8000-0123456789ab', '019a3f00-7c1d-7000-8000-0123456789ab'],
  ['019A3F00-7c1d', '019a3f00-7c1d'],
  ['wfi_019a3f00-', '019a3f00-'],
  ['019a3f00', '019a3f00'],
  ['019a3f0', undefined],
  ['wfi_', undefined],
  ['019a3f007c1d', undefined],
  ['order-approval', undefined],
  ['019a3f00-7c1d-7000-8000-0123456789abc', undefined],
])('%s is the beginning of an id: %s', (text, prefix) => {
  expect(idPrefix(text)).toBe(prefix)
})
