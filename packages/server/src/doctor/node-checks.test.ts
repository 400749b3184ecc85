import { describe, expect, it } from 'vitest'
import { nodeChecks } from './node-checks.ts'

const node = (name: string, more: object = {}) => ({
  ...{ name, version: '1.0.0', skewMs: 3, silentMs: 100, doomed: false },
  ...{ roles: ['api', 'worker'], wanted: 'active' as const },
  ...more,
})
const levels = (...nodes: ReturnType<typeof node>[]): Record<string, string> =>
  Object.fromEntries(nodeChecks(nodes, 3_000).map(({ check, level }) => [check, level]))

describe('what is said of nodes', () => {
  it('is that all is well, in so many words', () => {
    expect(nodeChecks([node('a'), node('b', { skewMs: -12 })], 3_000).map(({ finding }) => finding)).toEqual([
      '2 nodes beat',
      '2 nodes take work',
      "Clocks of nodes are within 12 ms of the store's",
      'All nodes run 1.0.0',
    ])
  })

  it.each([
    ['nodes', { silentMs: 5_000 }],
    ['nodes', { doomed: true }],
    ['clock-skew', { skewMs: -5_000 }],
    ['versions', { version: '2.0.0' }],
  ])('is a warning of %s for %o, with a fix', (check, more) => {
    const found = nodeChecks([node('a'), node('b', more)], 3_000).find((each) => each.check === check)
    expect(found).toMatchObject({ level: 'warning', fix: expect.any(String) })
    expect(levels(node('a'), node('b'))[check]).toBe('ok')
  })

  const work = (...nodes: ReturnType<typeof node>[]) => nodeChecks(nodes, 3_000).find(({ check }) => check === 'work')

  it('is a warning where every living worker is cordoned or drained, with the way back', () => {
    const nodes = [
      node('a', { wanted: 'cordoned' }),
      node('b', { wanted: 'drained' }),
      node('c', { silentMs: 5_000 }),
      node('d', { roles: ['api'] }),
    ]
    expect(work(...nodes)).toMatchObject({
      ...{ level: 'warning', finding: expect.stringContaining('(a, b)') },
      fix: 'lockstep cluster uncordon a',
    })
    expect(work(node('a', { wanted: 'cordoned' }), node('b'))).toMatchObject({ level: 'ok' })
  })

  it('is a warning where no living node works', () => {
    expect(work(node('a', { roles: ['api'] }))).toMatchObject({
      ...{ level: 'warning', fix: expect.stringContaining('LOCKSTEP_ROLES') },
    })
  })
})
