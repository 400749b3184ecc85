import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, I, rests, set, started, variables } from './graph-runs.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  const greet = workflow('greet', async (ctx) => {
    await ctx.step('hello', async () => 1)
    await ctx.step('hello', async () => 2)
    await ctx.waitFor('go')
  })
  api = await openTestApi({ workflows: [greet] })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

interface Item {
  readonly activity: string
  readonly status: string
  readonly runs: number
  readonly failures: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly lastError: { readonly message: string } | null
}
async function activities(id: string, at?: number): Promise<Readonly<Record<string, Item>>> {
  const { status, body } = await api.call('GET', `${I}/${id}/activities${at === undefined ? '' : `?at=${at}`}`)
  expect(status).toBe(200)
  return Object.fromEntries(body.items.map((item: Item) => [item.activity, item]))
}
const told = ({ status, runs, outcomes }: Item) => [status, runs, outcomes]

describe('activities of an instance', () => {
  it('are counted over the whole journal, however long it is, and at any of its facts', async () => {
    const TURNS = 6_000
    const id = await started(
      api,
      {
        id: 'long',
        variables,
        activities: [
          set('first'),
          { id: 'loop', type: 'for', inputs: { start: 0, end: TURNS }, body: { activities: [set('turn')] } },
          ask('stop'),
        ],
        connections: [
          { from: 'first', to: 'loop' },
          { from: 'loop', to: 'stop' },
        ],
      } as never,
      {},
    )
    await rests(api, id, 'suspended')
    const turns = (await activities(id)).turn!.runs
    expect(turns).toBeGreaterThanOrEqual(TURNS)
    const now = await activities(id)
    expect(told(now.first!)).toEqual(['completed', 1, { done: 1 }])
    expect(told(now.loop!)).toEqual(['completed', 1, { done: 1 }])
    expect(told(now.turn!)).toEqual(['completed', turns, { done: turns }])
    expect(told(now.stop!)).toEqual(['suspended', 1, {}])
    const then = await activities(id, 12)
    expect(then.stop).toBeUndefined()
    expect(told(then.first!)).toEqual(['completed', 1, { done: 1 }])
    expect(then.loop).toMatchObject({ status: 'running', runs: 1, outcomes: {} })
    expect(then.turn!.outcomes.done).toBe(9)
    // What is kept of an earlier answer does not stand in the way of what came since.
    await api.call('POST', `${I}/${id}/resume`, { body: { bookmark: 'stop' } })
    await rests(api, id, 'completed')
    expect(told((await activities(id)).stop!)).toEqual(['completed', 1, { done: 1 }])
  })

  it('tell failures that were caught from those that stop the instance', async () => {
    const boom = (id: string) => ({ id, type: 'fault', inputs: { message: `${id} broke` } })
    const id = await started(api, {
      id: 'guarded',
      variables,
      activities: [
        {
          id: 'guard',
          type: 'try',
          body: {
            activities: [
              { id: 'inner', type: 'for-each', inputs: { items: [1] }, body: { activities: [boom('bad')] } },
            ],
          },
          catch: { activities: [set('mend')] },
        },
        { ...boom('soft'), onError: 'outcome' },
        { id: 'outer', type: 'for-each', inputs: { items: [1] }, body: { activities: [boom('worse')] } },
      ],
      connections: [
        { from: 'guard', to: 'soft' },
        { from: 'soft', outcome: 'failed', to: 'outer' },
      ],
    } as never)
    await rests(api, id, 'faulted')
    const now = await activities(id)
    expect(told(now.guard!)).toEqual(['completed', 1, { done: 1 }])
    expect(now.inner).toMatchObject({ status: 'faulted', failures: 1 })
    expect(now.bad).toMatchObject({ status: 'faulted', failures: 1, lastError: { message: 'bad broke' } })
    expect(now.mend!.status).toBe('completed')
    expect(told(now.soft!)).toEqual(['faulted', 1, { failed: 1 }])
    expect(now.outer!.status).toBe('faulted')
    expect(now.worse).toMatchObject({ status: 'faulted', runs: 1, failures: 1 })
  })

  it('forget what was taken back', async () => {
    const id = await started(api, {
      id: 'back',
      variables,
      activities: [set('one'), ask('two'), { id: 'boom', type: 'fault', inputs: { message: 'no' } }],
      connections: [
        { from: 'one', to: 'two' },
        { from: 'two', to: 'boom' },
      ],
    } as never)
    await rests(api, id, 'suspended')
    await api.call('POST', `${I}/${id}/resume`, { body: { bookmark: 'two' } })
    await rests(api, id, 'faulted')
    expect(Object.keys(await activities(id))).toEqual(['one', 'two', 'boom'])
    expect((await api.call('POST', `${I}/${id}/retry`, { body: { step: 'two' } })).status).toBeLessThan(300)
    await rests(api, id, 'suspended')
    const now = await activities(id)
    expect(now.boom).toBeUndefined()
    expect(told(now.one!)).toEqual(['completed', 1, { done: 1 }])
    expect(told(now.two!)).toEqual(['suspended', 1, {}])
  })

  it('of a function are its steps, by name', async () => {
    const { id } = (await api.call('POST', I, { body: { definitionId: 'greet' } })).body
    await rests(api, id, 'suspended')
    const now = await activities(id)
    expect(told(now.hello!)).toEqual(['completed', 2, { done: 2 }])
    expect(Object.values(now).at(-1)).toMatchObject({ status: 'suspended', runs: 1 })
  })

  it('of an instance that is not there are not found', async () => {
    const answer = await api.call('GET', `${I}/wfi_00000000-0000-7000-8000-000000000000/activities`)
    expect([answer.status, answer.body.code]).toEqual([404, 'INSTANCE_NOT_FOUND'])
  })
})
