import { lanesFor } from '@lockstep/postgres'
import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from './node-options.ts'

describe('the name of a cluster', () => {
  it('is before its keys, unless a prefix says otherwise', () => {
    expect(resolveNodeOptions()).toMatchObject({ clusterName: 'lockstep', redisPrefix: 'lockstep' })
    expect(resolveNodeOptions({ clusterName: 'orders' }).redisPrefix).toBe('lockstep-orders')
    expect(resolveNodeOptions({ clusterName: 'orders', redisPrefix: 'mine' }).redisPrefix).toBe('mine')
  })

  it.each(['', 'Orders', 'a b', '-a', 'a-', 'a'.repeat(64)])('is not "%s"', (clusterName) => {
    expect(() => resolveNodeOptions({ clusterName })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(/clusterName.*orders-prod/) }),
    )
  })
})

describe('the pool of a node', () => {
  const sizes = (pool: number): Record<string, number | undefined> =>
    Object.fromEntries(Object.entries(lanesFor(pool)).map(([name, { size }]) => [name, size]))

  it('is shared out to lanes, none of which is left empty', () => {
    expect(sizes(resolveNodeOptions().databasePool)).toEqual({ control: 2, flush: 1, work: 4, api: 4 })
    expect(sizes(5)).toEqual({ control: 2, flush: 1, work: 1, api: 1 })
    expect(sizes(50)).toEqual({ control: 2, flush: 1, work: 24, api: 23 })
  })

  it.each(['4', '501', 'many', '7.5'])('is not %s', (databasePool) => {
    expect(() => resolveNodeOptions({ databasePool })).toThrow(/databasePool.*a whole number from 5 to 500/)
  })
})
