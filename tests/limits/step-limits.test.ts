import { type EffectActivity, workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openEmbeddedEngine, openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Counts who is inside, and the most there ever were. The first ones stay until as many have come as may be inside. */
class Inside {
  now = 0
  most = 0
  readonly order: string[] = []
  readonly #wanted: number

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  async visit(name = '', ms = 20): Promise<void> {
    this.now += 1
    this.most = Math.max(this.most, this.now)
    this.order.push(name)
    await until('as many are inside as may be', () => this.most >= this.#wanted)
    await pause(ms)
    this.now -= 1
  }
}

const call = (inside: Inside): EffectActivity => ({
  ...{ type: 'call', kind: 'action', title: 'Call', description: 'Calls.', outcomes: ['done'] },
  inputs: { type: 'object' },
  runs: 'effect',
  run: async () => {
    await inside.visit()
    return { kind: 'completed', outcome: 'done' }
  },
})

const startAll = (test: TestEngine, definitionId: string, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => (await test.engine.start({ definitionId, input: { n } })).instanceId),
  )
const allEnd = async (test: TestEngine, ids: readonly string[]): Promise<unknown[]> =>
  Promise.all(ids.map(async (id) => (await test.engine.waitForEnd(id, { limitMs: 60_000 }))?.status))

describe.each([
  ['on a server', openTestEngine],
  ['embedded', openEmbeddedEngine],
] as const)('a limit of steps, %s', (_, open) => {
  it('lets so many attempts run at once, those of a function', async () => {
    const inside = new Inside(3)
    const calls = workflow('calls', async (ctx, input: { n: number }) =>
      ctx.step('call', () => inside.visit(String(input.n)), { limit: { key: 'api', concurrency: 3 } }),
    )
    await using test = await open({ workflows: [calls] })
    const ids = await startAll(test, 'calls', 30)
    expect(new Set(await allEnd(test, ids))).toEqual(new Set(['completed']))
    expect(inside.most).toBe(3)
    expect(inside.order).toHaveLength(30)
    await until('all permits are given back', async () => (await test.engine.limits.get('api'))?.running === 0)
    expect(await test.engine.limits.get('api')).toMatchObject({ declared: { concurrency: 3 }, waiting: 0 })
  })

  it('lets so many attempts run at once, those of a graph whose key is an expression', async () => {
    const inside = new Inside(2)
    await using test = await open({ activities: [call(inside)] })
    await test.publish({
      id: 'wide',
      activities: [
        {
          id: 'each',
          type: 'for-each',
          inputs: { items: { $expr: 'Array.from({ length: 20 }, (_, n) => n)' }, concurrency: 20 },
          body: {
            activities: [{ id: 'one', type: 'call', limit: { key: { $expr: "'api-' + input.n" }, concurrency: 2 } }],
          },
        },
      ],
    })
    expect((await test.run('wide', { n: 7 })).status).toBe('completed')
    expect(inside.most).toBe(2)
    expect(await test.engine.limits.list()).toMatchObject([{ key: 'api-7' }])
  })
})

describe('a limit of steps', () => {
  it('lets all come through a rate', async () => {
    let begun = 0
    const calls = workflow('calls', async (ctx) =>
      ctx.step(
        'call',
        () => {
          begun += 1
        },
        { limit: { key: 'api', rate: { limit: 3, per: '300ms' } } },
      ),
    )
    await using test = await openTestEngine({ workflows: [calls] })
    expect(new Set(await allEnd(test, await startAll(test, 'calls', 10)))).toEqual(new Set(['completed']))
    expect(begun).toBe(10)
    expect(await test.engine.limits.get('api')).toMatchObject({ declared: { rate: { limit: 3, perMs: 300 } } })
  })

  it('is changed while the cluster runs', async () => {
    const inside = new Inside(10)
    const calls = workflow('calls', async (ctx) =>
      ctx.step('call', () => inside.visit('', 50), { limit: { key: 'api', concurrency: 1 } }),
    )
    await using test = await openTestEngine({ workflows: [calls] })
    const { limits } = test.engine
    const ids = await startAll(test, 'calls', 20)
    await until('some wait', async () => ((await limits.get('api'))?.waiting ?? 0) > 10)
    await limits.set('api', { concurrency: 10 })
    await allEnd(test, ids)
    expect(inside.most).toBe(10)
    await limits.set('api', undefined)
    expect(await limits.get('api')).toMatchObject({ declared: { concurrency: 1 }, set: undefined })
    await expect(limits.set('x'.repeat(201), { concurrency: 1 })).rejects.toThrow('1 to 200 characters')
    await expect(limits.set('api', {})).rejects.toThrow('concurrency')
    await expect(limits.set('api', { concurrency: 0 })).rejects.toThrow('whole number from 1')
    await expect(limits.set('api', { rate: { limit: 1, per: 0 } })).rejects.toThrow('millisecond')
  })

  it('gives up no slot for those who wait, and tells why they do', async () => {
    let letGo = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const holds = workflow('holds', async (ctx) =>
      ctx.step('call', () => gate, { limit: { key: 'api', concurrency: 1 } }),
    )
    const free = workflow('free', async (ctx) => ctx.step('go', () => 'gone'))
    await using test = await openTestEngine({ workflows: [holds, free], concurrency: 4 })
    const ids = await startAll(test, 'holds', 12)
    await until('all wait', async () => (await test.engine.limits.get('api'))?.waiting === 11)
    expect((await test.run('free')).output).toBe('gone')
    const suspended = async (): Promise<string[]> => {
      const views = await Promise.all(ids.map((id) => test.engine.get(id)))
      return views.filter((view) => view.status === 'suspended').map((view) => view.id ?? '')
    }
    await until('their claims are given back', async () => (await suspended()).length === 11)
    const [running] = (await Promise.all(ids.map((id) => test.engine.get(id))))
      .map((view, index) => ({ id: ids[index]!, status: view.status }))
      .filter(({ status }) => status === 'running')
    const waiting = ids.find((id) => id !== running!.id)!
    const why = await test.engine.why(waiting)
    expect(why.blockers).toMatchObject([{ kind: 'limit' }])
    expect(why.text).toContain(`Limit "api" holds step "call" back`)
    expect(why.text).toContain(running!.id)
    letGo()
    expect(new Set(await allEnd(test, ids))).toEqual(new Set(['completed']))
  })

  it('tells when a rate will let those in who wait for it, unless others decide that', async () => {
    const hour = 3_600_000
    const rated = workflow('rated', async (ctx) =>
      ctx.step('call', () => 1, { limit: { key: 'hourly', rate: { limit: 2, per: hour } } }),
    )
    const both = workflow('both', async (ctx) =>
      ctx.step('call', () => 1, { limit: { key: 'both', concurrency: 1, rate: { limit: 1, per: hour } } }),
    )
    await using test = await openTestEngine({ workflows: [rated, both] })
    await test.run('rated')
    const { instanceId: second } = await test.run('rated')
    const startedAt = (await test.engine.get(second)).createdAt
    const lateBy: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const { instanceId } = await test.engine.start({ definitionId: 'rated' })
      await until('it waits', async () => (await test.engine.why(instanceId)).blockers.length > 0)
      const { untilAt = 0 } = (await test.engine.why(instanceId)).blockers[0]!
      lateBy.push(Math.round((untilAt - startedAt) / hour))
    }
    // Two are let in each hour: the first two who wait in one, the third in two.
    expect(lateBy).toEqual([1, 1, 2])
    await test.run('both')
    const { instanceId } = await test.engine.start({ definitionId: 'both' })
    await until('it waits', async () => (await test.engine.why(instanceId)).blockers.length > 0)
    expect((await test.engine.why(instanceId)).blockers[0]).not.toHaveProperty('untilAt')
  })

  it('is left by a step that was cancelled while it waited', async () => {
    let letGo = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const holds = workflow('holds', async (ctx) =>
      ctx.step('call', () => gate, { limit: { key: 'api', concurrency: 1 } }),
    )
    await using test = await openTestEngine({ workflows: [holds] })
    const { instanceId: first } = await test.engine.start({ definitionId: 'holds' })
    await until('it runs', async () => (await test.engine.limits.get('api'))?.running === 1)
    const ids = await startAll(test, 'holds', 3)
    await until('they wait', async () => (await test.engine.limits.get('api'))?.waiting === 3)
    await test.engine.cancel(ids[0]!)
    await test.engine.waitForEnd(ids[0]!)
    letGo()
    expect(await allEnd(test, [first, ids[1]!, ids[2]!])).toEqual(['completed', 'completed', 'completed'])
  })

  it('is not waited for by those who are paused, and announces nothing that was not tried', async () => {
    let letGo = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const holds = workflow('holds', async (ctx) =>
      ctx.step('call', () => gate, { limit: { key: 'api', concurrency: 1 }, effect: 'atMostOnce' }),
    )
    await using test = await openTestEngine({ workflows: [holds] })
    const { limits, verbs } = test.engine
    const { instanceId: first } = await test.engine.start({ definitionId: 'holds' })
    await until('it runs', async () => (await limits.get('api'))?.running === 1)
    const ids = await startAll(test, 'holds', 2)
    await until('they wait', async () => (await limits.get('api'))?.waiting === 2)
    for (const id of ids) expect((await test.engine.journal(id)).map((row) => row.kind)).not.toContain('attempting')
    await verbs.pause(ids[0]!)
    await test.rests(ids[0]!, 'paused')
    letGo()
    expect(await allEnd(test, [first, ids[1]!])).toEqual(['completed', 'completed'])
    expect((await test.engine.get(ids[0]!)).status).toBe('paused')
    await verbs.continue(ids[0]!)
    expect(await allEnd(test, [ids[0]!])).toEqual(['completed'])
  })

  it('refuses what cannot be meant, and names it', async () => {
    const bad = workflow('bad', async (ctx, input: { limit: never }) => ctx.step('s', () => 1, input))
    await using test = await openTestEngine({ workflows: [bad] })
    for (const [limit, text] of [
      [{ key: '', concurrency: 1 }, 'limit.key'],
      [{ key: 'a'.repeat(201), concurrency: 1 }, 'limit.key'],
      [{ key: 'a', concurrency: -1 }, 'limit.concurrency'],
      [{ key: 'a' }, 'limit'],
      [{ key: 'a', rate: { limit: 0, per: '1s' } }, 'limit.rate.limit'],
    ] as const)
      expect((await test.run('bad', { limit })).error).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`"${text}"`),
      })
  })
})

describe('a transactional activity under a limit and a lock', () => {
  it('waits for both before it opens its transaction', async () => {
    const seen: string[] = []
    let inside = 0
    await using test = await openTestEngine({
      activities: [
        {
          ...{ type: 'book', kind: 'action', title: 'Book', description: 'Books.', outcomes: ['done'] },
          inputs: { type: 'object' },
          runs: 'transaction',
          run: async (_inputs, { tx, step }) => {
            inside += 1
            await tx.query('select pg_sleep(0.01)')
            seen.push(`${step} ${inside}`)
            inside -= 1
            return { kind: 'completed', outcome: 'done' }
          },
        },
      ],
    })
    await test.publish({
      id: 'books',
      activities: [{ id: 'one', type: 'book', limit: { key: 'books', concurrency: 1 } }],
    })
    await allEnd(test, await startAll(test, 'books', 8))
    expect(seen).toEqual(Array.from({ length: 8 }, () => 'one 1'))
  })
})
