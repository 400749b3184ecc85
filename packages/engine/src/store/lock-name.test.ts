import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lockNameOf, workflowLockOf } from './lock-name.ts'

const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '/', '%', '2', 'F', '5', ':', '@'), maxLength: 8 }),
  fc.constantFrom(
    'default',
    'acme',
    'orders',
    'acme/orders',
    '@acme/orders',
    '@default/orders',
    'election:scheduler',
    'maintenance:x',
    '',
  ),
  fc.string({ maxLength: 20 }),
)

describe('the name of a lock', () => {
  it('belongs to one tenant and one key, and tells them', () => {
    fc.assert(
      fc.property(part, part, part, part, (tenant, key, otherTenant, otherKey) => {
        const name = lockNameOf(tenant, key)
        expect(workflowLockOf(name)).toEqual({ tenant, key })
        const isSame = tenant === otherTenant && key === otherKey
        expect(lockNameOf(otherTenant, otherKey) === name).toBe(isSame)
      }),
      { numRuns: 5_000 },
    )
  })

  it('of any text tells a lock of a workflow only when that workflow would write it so', () => {
    fc.assert(
      fc.property(part, (name) => {
        const found = workflowLockOf(name)
        if (found !== undefined) expect(lockNameOf(found.tenant, found.key)).toBe(name)
      }),
      { numRuns: 5_000 },
    )
  })

  it.each([
    ['default', 'orders', 'orders'],
    ['default', 'order:17', 'order:17'],
    ['default', 'orders/17', 'orders/17'],
    ['acme', 'orders', '@acme/orders'],
    ['acme', 'orders/17', '@acme/orders/17'],
    ['default', '@acme/orders', '@default/@acme/orders'],
    ['default', 'election:scheduler', '@default/election:scheduler'],
    ['a/b', 'c', '@a%2Fb/c'],
  ])('of %s and %s is %s', (tenant, key, name) => {
    expect(lockNameOf(tenant, key)).toBe(name)
  })

  it.each(['election:scheduler', 'maintenance:retention', '@default/orders', '@acme'])(
    '%s is of no workflow',
    (name) => {
      expect(workflowLockOf(name)).toBeUndefined()
    },
  )
})
