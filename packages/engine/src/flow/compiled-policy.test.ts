import type { Json } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../expression/sandbox.ts'
import { compilePolicy } from './compiled-policy.ts'
import type { FlowPolicy } from './flow-policy.ts'

const sandbox: Sandbox = {
  outputBytes: 1_000_000,
  evaluate: async () => {
    throw new Error('not asked for')
  },
  close: async () => undefined,
}

const place = (policy: unknown, input: Json, code?: FlowPolicy<never>, priority?: number) =>
  compilePolicy({ definitionId: 'w', revision: 3, policy, code, sandbox }).place(input, priority)

const NONE = { singleton: '', concurrency: '', rate: '', throttle: '', gather: undefined }

describe('the place of a start', () => {
  it('has no keys where the policy has none', async () => {
    expect(await place({ concurrency: { limit: 1 } }, null)).toEqual({ keys: NONE, priority: 0 })
    expect(await place({ batch: { size: 2, wait: 1 } }, null)).toEqual({ keys: { ...NONE, gather: '' }, priority: 0 })
  })

  it('is computed from the input, by expressions and by functions of the code', async () => {
    const policy = {
      concurrency: { key: { $expr: 'input.customer' }, limit: 1 },
      rate: { key: 'declared', limit: 1, per: 1 },
      debounce: { key: { $expr: 'input.n * 2' }, wait: 1 },
      priority: { $expr: 'input.urgent ? 9 : 1' },
    }
    const code = { rate: { key: (input: { n: number }) => input.n > 1, limit: 1, per: 1 } } as FlowPolicy<never>
    expect(await place(policy, { customer: 'ann', n: 2, urgent: true }, code)).toEqual({
      keys: { ...NONE, concurrency: 'ann', rate: 'true', gather: '4' },
      priority: 9,
    })
    expect((await place(policy, { customer: 'ann', n: 2 }, code, 5)).priority).toBe(5)
  })

  it.each([
    ['an expression that throws', { $expr: 'input.a.b.c' }, {}],
    ['nothing', { $expr: 'input.missing' }, {}],
    ['a list', { $expr: '[1]' }, {}],
    ['more than 200 characters', { $expr: 'input.long' }, { long: 'x'.repeat(201) }],
    ['a character that the store cannot hold', { $expr: 'input.nul' }, { nul: 'a\0b' }],
    ['code that this node does not have', 'declared', {}],
  ])('is refused where a key is %s', async (_, key, input) => {
    await expect(place({ singleton: { key } }, input)).rejects.toMatchObject({
      code: 'FLOW_KEY_FAILED',
      details: { definitionId: 'w', member: 'singleton.key' },
    })
  })

  it('takes keys of 200 characters, and empty ones', async () => {
    const policy = { singleton: { key: { $expr: 'input' } } }
    for (const key of ['', 'x'.repeat(200)]) expect((await place(policy, key)).keys.singleton).toBe(key)
  })

  it.each([[{ $expr: '10' }], [{ $expr: '-1' }], [{ $expr: '1.5' }], [{ $expr: '"9"' }]])(
    'is refused where the priority is %j',
    async (priority) => {
      await expect(place({ priority }, null)).rejects.toMatchObject({ details: { member: 'priority' } })
    },
  )

  it('hands on what a function of the code threw', async () => {
    const key = () => {
      throw new Error('no customer')
    }
    const failed = place({ rate: { key: 'declared' } }, null, { rate: { key, limit: 1, per: 1 } })
    await expect(failed).rejects.toThrow('no customer')
  })
})
