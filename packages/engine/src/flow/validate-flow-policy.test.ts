import { describe, expect, it } from 'vitest'
import { workflow } from '../function/workflow.ts'
import { validateFlowPolicy } from './validate-flow-policy.ts'

const said = (policy: unknown): string[] =>
  validateFlowPolicy(policy as never).map(({ pointer, code }) => `${pointer} ${code}`)

describe('a flow policy', () => {
  it('may have every member', () => {
    const key = { $expr: 'input.customer' }
    expect(
      said({
        singleton: { key, onBusy: 'queue' },
        concurrency: { key, limit: 5 },
        rate: { key, limit: 10, per: '1m' },
        throttle: { key, limit: 10, per: 'PT1H' },
        debounce: { key, wait: '2s', max: '1m' },
        priority: { $expr: 'input.urgent ? 9 : 0' },
        ageing: 500,
      }),
    ).toEqual([])
    expect(said({})).toEqual([])
    expect(said({ batch: { size: 1, wait: 1 }, priority: 9 })).toEqual([])
  })

  it.each([
    ['text', 'no policy', [' WRONG_TYPE']],
    ['nothing', null, [' WRONG_TYPE']],
    ['an unknown member', { concurency: { limit: 1 } }, ['/concurency UNKNOWN_FIELD']],
    ['an unknown member of a member', { rate: { limit: 1, per: '1s', burst: 2 } }, ['/rate/burst UNKNOWN_FIELD']],
    ['no limit', { concurrency: {} }, ['/concurrency MISSING_FIELD']],
    ['a limit of nothing', { concurrency: { limit: 0 } }, ['/concurrency/limit OUT_OF_RANGE']],
    ['a negative limit', { rate: { limit: -1, per: '1s' } }, ['/rate/limit OUT_OF_RANGE']],
    ['half of a slot', { concurrency: { limit: 1.5 } }, ['/concurrency/limit WRONG_TYPE']],
    ['a limit as text', { throttle: { limit: '5', per: '1s' } }, ['/throttle/limit WRONG_TYPE']],
    ['an unknown rule', { singleton: { onBusy: 'wait' } }, ['/singleton/onBusy VALUE_NOT_ALLOWED']],
    ['no duration', { rate: { limit: 1, per: 'soon' } }, ['/rate/per INVALID_DURATION']],
    ['a span of nothing', { debounce: { wait: 0 } }, ['/debounce/wait OUT_OF_RANGE']],
    ['a span that is too short to count', { throttle: { limit: 1, per: '0s' } }, ['/throttle/per OUT_OF_RANGE']],
    ['less at most than at least', { debounce: { wait: '5s', max: '1s' } }, ['/debounce/max OUT_OF_RANGE']],
    ['an empty batch', { batch: { size: 0, wait: '1s' } }, ['/batch/size OUT_OF_RANGE']],
    ['a priority beyond nine', { priority: 10 }, ['/priority OUT_OF_RANGE']],
    ['a key that is no expression', { concurrency: { key: {}, limit: 1 } }, ['/concurrency/key MALFORMED_EXPRESSION']],
    ['a key as text', { concurrency: { key: 'customer', limit: 1 } }, ['/concurrency/key MALFORMED_EXPRESSION']],
    [
      'a key that cannot be read',
      { rate: { key: { $expr: 'input.' }, limit: 1, per: 1 } },
      ['/rate/key INVALID_EXPRESSION'],
    ],
    [
      'a key over what is not there yet',
      { singleton: { key: { $expr: 'vars.x' } } },
      ['/singleton/key NAME_OUT_OF_SCOPE'],
    ],
    ['code that nobody has', { concurrency: { key: 'declared', limit: 1 } }, ['/concurrency/key VALUE_NOT_ALLOWED']],
    ['two ways to gather', { debounce: { wait: 1 }, batch: { size: 1, wait: 1 } }, ['/batch VALUE_NOT_ALLOWED']],
    ['an answer to nobody', { batch: { size: 2, wait: 1 }, singleton: {} }, ['/singleton/onBusy VALUE_NOT_ALLOWED']],
  ])('is refused with %s', (_, policy, problems) => {
    expect(said(policy)).toEqual(problems)
  })

  it('may name a function where the code has one', () => {
    const code = { concurrency: { key: () => 'x', limit: 1 } }
    expect(validateFlowPolicy({ concurrency: { key: 'declared', limit: 7 } }, code)).toEqual([])
    expect(validateFlowPolicy({ rate: { key: 'declared', limit: 7, per: 1 } }, code)).toHaveLength(1)
  })

  it('names the member and the fix', () => {
    const [problem] = validateFlowPolicy({ concurency: { limit: 1 } })
    expect(problem!.text).toContain('Did you mean "concurrency"?')
  })

  it('is checked when a workflow is declared', () => {
    expect(() => workflow('w', async () => 1, { flow: { concurrency: { limit: 0 } } })).toThrow(
      expect.objectContaining({ code: 'FLOW_POLICY_INVALID', details: expect.objectContaining({ definitionId: 'w' }) }),
    )
    expect(workflow('w', async (_, n: number) => n, { flow: { priority: (n) => n } }).flow).toBeDefined()
  })
})
