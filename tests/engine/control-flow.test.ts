import type { Json, JsonObject } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedEngine, openTestEngine, type TestEngine } from './open-test-engine.ts'

const expr = ($expr: string) => ({ $expr })
const set = (id: string, name: string, value: Json) => ({ id, type: 'set-variable', inputs: { name, value } })
const out = (id: string, name: string, value: Json) => ({ id, type: 'set-output', inputs: { name, value } })
const append = (id: string, value: string) => set(id, 'log', expr(`[...vars.log, ${value}]`))
const logged = { log: { type: 'array', default: [] } } as const
/** Everything one after the other, then the log as output. */
const line = (id: string, activities: readonly (JsonObject & { readonly id: string })[], more: object = {}) => {
  const all = [...activities, out('result', 'log', expr('vars.log'))]
  return {
    id,
    variables: logged,
    activities: all,
    connections: all.slice(1).map((each, n) => ({ from: all[n]!.id, to: each.id })),
    ...more,
  }
}

describe.each([
  ['PostgreSQL', openTestEngine],
  ['the embedded store', openEmbeddedEngine],
])('control flow on %s', (_, open) => {
  let t: TestEngine
  beforeAll(async () => {
    t = await open({ mostDepth: 4 })
  })
  afterAll(() => t[Symbol.asyncDispose]())

  it('of a switch tries the cases in order and evaluates none after the one that fits', async () => {
    await t.publish({
      id: 'way',
      activities: [
        {
          id: 'which',
          type: 'switch',
          inputs: {
            value: expr('input.kind'),
            cases: [
              { outcome: 'none', condition: expr('input.order === undefined') },
              { outcome: 'big', condition: expr('input.order.amount > 1000') },
              { outcome: 'gift', equals: { of: ['a', 1] } },
            ],
          },
        },
        ...['none', 'big', 'gift', 'default'].map((way) => out(way, 'way', way)),
      ],
      connections: ['none', 'big', 'gift', 'default'].map((outcome) => ({ from: 'which', outcome, to: outcome })),
    })
    const way = async (input: Json) => (await t.run('way', input)).output
    expect(await way({ kind: 1 })).toEqual({ way: 'none' })
    expect(await way({ order: { amount: 2000 } })).toEqual({ way: 'big' })
    expect(await way({ order: { amount: 2 }, kind: { of: ['a', 1] } })).toEqual({ way: 'gift' })
    expect(await way({ order: { amount: 2 }, kind: { of: ['a', 2] } })).toEqual({ way: 'default' })
    expect(await t.run('way', { order: null })).toMatchObject({
      status: 'faulted',
      error: { code: 'EXPRESSION_FAILED' },
    })
  })

  it('of a switch in mode all leaves by every case that fits, also when the sandbox decides', async () => {
    const cases = [2, 3, 5].map((n) => ({ outcome: `by${n}`, condition: expr(`(() => input % ${n} === 0)()`) }))
    await t.publish({
      id: 'all',
      variables: { seen: { default: 0 } },
      activities: [
        { id: 'which', type: 'switch', inputs: { mode: 'all', cases } },
        ...[2, 3, 5].map((n) => out(`at${n}`, `by${n}`, true)),
        out('none', 'none', true),
        out('after', 'after', true),
      ],
      connections: [
        ...[2, 3, 5].map((n) => ({ from: 'which', outcome: `by${n}`, to: `at${n}` })),
        ...[2, 3, 5].map((n) => ({ from: `at${n}`, to: 'after' })),
        { from: 'which', outcome: 'default', to: 'none' },
      ],
    })
    expect((await t.run('all', 15)).output).toEqual({ by3: true, by5: true, after: true })
    expect((await t.run('all', 30)).output).toEqual({ by2: true, by3: true, by5: true, after: true })
    expect((await t.run('all', 7)).output).toEqual({ none: true })
  })

  it('of a while looks at its condition before each turn, and sees the turn before', async () => {
    const poll = { id: 'poll', type: 'transform', inputs: { value: expr('index * 2') } }
    const loop = {
      id: 'loop',
      type: 'while',
      inputs: { condition: expr('index === 0 || steps.poll.output < input') },
      body: { activities: [poll, append('note', 'steps.poll.output')], connections: [{ from: 'poll', to: 'note' }] },
    }
    await t.publish(line('poll', [loop, append('count', 'steps.loop.output.count')]))
    const { output, instanceId } = await t.run('poll', 6)
    expect(output).toEqual({ log: [0, 2, 4, 6, 4] })
    const opened = (await t.engine.journal(instanceId)).filter(({ kind }) => kind === 'opened')
    expect(opened.map(({ data }) => (data as { condition: boolean }).condition)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
  })

  it('of a while stops at maxTurns, and a condition may need the sandbox', async () => {
    await t.publish({
      id: 'endless',
      activities: [
        {
          id: 'loop',
          type: 'while',
          inputs: { condition: expr('(() => { return true })()'), maxTurns: 3 },
          onError: 'outcome',
          body: { activities: [{ id: 'x', type: 'transform', inputs: { value: 1 } }] },
        },
        out('code', 'code', expr('steps.loop.error.code')),
      ],
      connections: [{ from: 'loop', outcome: 'failed', to: 'code' }],
    })
    expect((await t.run('endless')).output).toEqual({ code: 'TOO_MANY_TURNS' })
  })

  it('of a for goes through its numbers, and refuses a step that leads nowhere', async () => {
    const loop = {
      id: 'loop',
      type: 'for',
      inputs: { start: expr('input.start'), end: expr('input.end'), step: expr('input.step') },
      body: { activities: [append('note', 'index + ":" + item')] },
    }
    await t.publish(line('numbers', [loop]))
    const log = async (start: number, end: number, step: number) =>
      (await t.run('numbers', { start, end, step })).output
    expect(await log(1, 3, 1)).toEqual({ log: ['0:1', '1:2', '2:3'] })
    expect(await log(3, 0, -2)).toEqual({ log: ['0:3', '1:1'] })
    for (const step of [0, -1]) {
      const input = { start: 1, end: 3, step }
      expect(await t.run('numbers', input)).toMatchObject({ status: 'faulted', error: { code: 'INVALID_INPUT' } })
    }
  })

  it('of a for-each collects the results of its turns in the order of the items', async () => {
    const loop = {
      id: 'loop',
      type: 'for-each',
      inputs: { items: expr('input'), concurrency: 3, collect: 'twice' },
      body: {
        activities: [
          { id: 'wait', type: 'delay', inputs: { duration: expr('(3 - index) * 10') } },
          { id: 'odd', type: 'if', inputs: { condition: expr('item % 2') } },
          { id: 'twice', type: 'transform', inputs: { value: expr('item * 2') } },
        ],
        connections: [
          { from: 'wait', to: 'odd' },
          { from: 'odd', outcome: 'true', to: 'twice' },
        ],
      },
    }
    await t.publish(line('gather', [loop, append('all', 'steps.loop.output')]))
    expect((await t.run('gather', [1, 2, 3])).output).toEqual({ log: [{ count: 3, results: [2, null, 6] }] })
    expect((await t.run('gather', [])).output).toEqual({ log: [{ count: 0, results: [] }] })
  })

  it('of a break leaves the loop, cancels the other turns and runs every finally on the way', async () => {
    const guard = {
      id: 'guard',
      type: 'try',
      body: {
        activities: [
          { id: 'enough', type: 'if', inputs: { condition: expr('item === 2') } },
          { id: 'stop', type: 'break' },
          { id: 'for-ever', type: 'wait-for-event', inputs: { event: 'never' } },
        ],
        connections: [
          { from: 'enough', outcome: 'true', to: 'stop' },
          { from: 'enough', outcome: 'false', to: 'for-ever' },
        ],
      },
      finally: { activities: [append('bye', '"bye " + item')] },
    }
    const loop = {
      id: 'loop',
      type: 'for-each',
      inputs: { items: [0, 1, 2, 3], concurrency: 4 },
      body: { activities: [guard] },
    }
    await t.publish(line('leave', [loop, append('after', 'steps.loop.output')]))
    const { output, instanceId } = await t.run('leave')
    expect(output).toEqual({ log: ['bye 2', { count: 4, broken: true }] })
    expect(await t.engine.get(instanceId)).toMatchObject({ status: 'completed', waitingFor: [] })
  })

  it('of a continue ends one turn only', async () => {
    const body = {
      activities: [
        { id: 'odd', type: 'if', inputs: { condition: expr('item % 2') } },
        { id: 'skip', type: 'continue' },
        append('note', 'item'),
        { id: 'beside', type: 'delay', inputs: { duration: '1ms' } },
      ],
      connections: [
        { from: 'odd', outcome: 'true', to: 'skip' },
        { from: 'odd', outcome: 'false', to: 'note' },
      ],
    }
    await t.publish(line('skips', [{ id: 'loop', type: 'for', inputs: { end: 5 }, body }]))
    expect((await t.run('skips')).output).toEqual({ log: [0, 2, 4] })
  })

  it('of a finish ends the workflow from anywhere, and closes what waits', async () => {
    await t.publish({
      id: 'early',
      activities: [
        out('first', 'first', 1),
        { id: 'wait', type: 'wait-for-event', inputs: { event: 'never' } },
        { id: 'long', type: 'delay', inputs: { duration: '7d' } },
        {
          id: 'loop',
          type: 'for-each',
          inputs: { items: [1, 2], concurrency: 2 },
          body: {
            activities: [
              { id: 'pause', type: 'delay', inputs: { duration: '20ms' } },
              { id: 'end', type: 'finish', inputs: { output: { by: expr('item'), first: 2 } } },
            ],
            connections: [{ from: 'pause', to: 'end' }],
          },
        },
      ],
    })
    const { status, output, instanceId } = await t.run('early')
    expect([status, output]).toEqual(['completed', { first: 2, by: 1 }])
    expect(await t.engine.get(instanceId)).toMatchObject({ waitingFor: [], incidents: [] })
  })

  it('of a script returns, assigns and chooses; and what it throws has a line', async () => {
    const code = `
      const total = input.items.reduce((sum, { price }) => sum + price, 0)
      setVariable('total', total)
      if (total > 100) setOutcome('dear')
      if (total < 0) throw Object.assign(new Error('negative'), { code: 'NEGATIVE' })
      if (total === 0) input.nothing.here()
      if (total === 1) setVariable('unknown', 1)
      if (total === 2) vars.total = 2
      if (total === 3) for (;;) {}
      return { total, cheap: total <= 100 }`
    await t.publish({
      id: 'adds',
      variables: { total: { type: 'number' } },
      activities: [
        { id: 'add', type: 'script', inputs: { code }, onError: 'outcome' },
        out('cheap', 'cheap', expr('[steps.add.output, vars.total]')),
        out('dear', 'dear', expr('[steps.add.output, vars.total]')),
        out('failure', 'failure', expr('[steps.add.error.code, steps.add.error.message]')),
      ],
      connections: [
        { from: 'add', to: 'cheap' },
        { from: 'add', outcome: 'dear', to: 'dear' },
        { from: 'add', outcome: 'failed', to: 'failure' },
      ],
    })
    const add = async (...prices: number[]) =>
      (await t.run('adds', { items: prices.map((price) => ({ price })) })).output as { failure: [string, string] }
    expect(await add(40, 50)).toEqual({ cheap: [{ total: 90, cheap: true }, 90] })
    expect(await add(60, 50)).toEqual({ dear: [{ total: 110, cheap: false }, 110] })
    expect(await add(-1)).toEqual({ failure: ['NEGATIVE', 'Error: negative (line 5)'] })
    expect((await add(0)).failure).toEqual(['SCRIPT_FAILED', expect.stringMatching(/^TypeError: .*\(line 6\)$/)])
    expect((await add(1)).failure[1]).toContain('no variable is called "unknown"')
    expect((await add(2)).failure).toEqual(['SCRIPT_FAILED', expect.stringMatching(/read-only.*\(line 8\)$/)])
    expect((await add(3)).failure[0]).toBe('EXPRESSION_LIMIT')
  })

  it('of a correlate reaches the row, expressions, events and children', async () => {
    await t.publish({ id: 'child', activities: [out('id', 'id', expr('correlationId'))] })
    await t.publish({
      id: 'moves',
      activities: [
        { id: 'new', type: 'correlate', inputs: { correlationId: expr('"order-" + input') } },
        out('seen', 'seen', expr('correlationId')),
        { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'child' } },
        out('kids', 'kids', expr('steps.kid.output.id')),
        { id: 'wait', type: 'wait-for-event', inputs: { event: 'paid' } },
        out('paid', 'paid', expr('steps.wait.output')),
      ],
      connections: [
        ['new', 'seen'],
        ['seen', 'kid'],
        ['kid', 'kids'],
        ['kids', 'wait'],
        ['wait', 'paid'],
      ].map(([from, to]) => ({ from: from!, to: to! })),
    })
    const { instanceId } = await t.engine.start({ definitionId: 'moves', input: 7, correlationId: 'before' })
    // It rests while the child runs, too.
    const waits = async () => (await t.engine.get(instanceId)).waitingFor.map(({ name }) => name)
    await expect.poll(waits, { timeout: 60_000 }).toEqual(['paid'])
    expect(await t.engine.get(instanceId)).toMatchObject({ correlationId: 'order-7' })
    expect(await t.engine.publish({ name: 'paid', correlationId: 'before', payload: 1 })).toMatchObject({ matched: 0 })
    expect(await t.engine.publish({ name: 'paid', correlationId: 'order-7', payload: 2 })).toMatchObject({ matched: 1 })
    const end = await t.engine.waitForEnd(instanceId, { limitMs: 60_000 })
    expect(end).toMatchObject({ output: { seen: 'order-7', kids: 'order-7', paid: 2 } })
  })

  it('of a graph that calls itself ends as a failure that says so', async () => {
    await t.publish({
      id: 'self',
      activities: [{ id: 'again', type: 'run-workflow', inputs: { definitionId: 'self' } }],
    })
    const end = await t.run('self')
    expect(end).toMatchObject({ status: 'faulted', error: { code: 'CHILD_FAULTED', step: 'again' } })
    expect(JSON.stringify(end.error)).toContain('TOO_DEEP')
  })
})
