import { deferred, type JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { CompletedResult, TransactionalActivity } from '../../activity/activity-handler.ts'
import { book, done, effect, oneEngine, SimulatedEngines, transactional } from './simulated-engine.fixture.ts'

const body = (...activities: JsonObject[]) => ({ activities })
const alone = (type: string, more: JsonObject = {}) => ({ id: 'graph', activities: [{ id: 'pay', type, ...more }] })
const insert: TransactionalActivity['run'] = async (_, { tx, attempt }) => {
  await tx.query('insert', [attempt])
  return done()
}

describe('a transaction beside other branches', () => {
  /** A branch that pays, and one that does what it is given. */
  const beside = (more: JsonObject, ...activities: JsonObject[]) => ({
    id: 'graph',
    activities: [
      { id: 'both', type: 'parallel', ...more, branches: [body({ id: 'pay', type: 'pay' }), body(...activities)] },
    ],
  })

  it('what the others come to meanwhile is written after it, and lost by nobody', async () => {
    const gate = deferred<void>()
    const other = deferred<CompletedResult>()
    const t = await oneEngine(
      beside({}, { id: 'other', type: 'other' }, { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }),
      [
        effect('other', () => other.promise),
        transactional('pay', async (inputs, context) => {
          await gate.promise
          return insert(inputs, context)
        }),
      ],
    )
    const id = await t.start(t.only, 'graph')
    await t.sim.run(500)
    other.resolve(done())
    expect(await t.drive(t.only.resume({ instanceId: id, bookmark: 'go', payload: 'gone' }))).toBe('resumed')
    await t.sim.run(500)
    expect(t.facts(id).filter((fact) => fact.startsWith('completed'))).toEqual([])
    gate.resolve()
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
    const [first, ...others] = t.facts(id).filter((fact) => fact.startsWith('completed'))
    expect(first).toBe('completed both[0].pay done')
    expect(others.sort()).toEqual(['completed both[1].ask done', 'completed both[1].other done'])
    expect(t.sim.check()).toEqual([])
  })

  it('the first to end is the first in the journal: the transaction wins, the other is cancelled', async () => {
    const gate = deferred<void>()
    const other = deferred<CompletedResult>()
    let told = false
    const t = await oneEngine(beside({ inputs: { join: 'any' } }, { id: 'other', type: 'other' }), [
      effect('other', (_, { signal }) => {
        signal.addEventListener('abort', () => {
          told = true
        })
        return other.promise
      }),
      transactional('pay', async (inputs, context) => {
        await gate.promise
        return insert(inputs, context)
      }),
    ])
    const id = await t.start(t.only, 'graph')
    await t.sim.run(500)
    other.resolve(done())
    await t.sim.run(500)
    gate.resolve()
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
    expect(t.facts(id)).toEqual(['started', 'opened both', 'completed both[0].pay done', 'ended'])
    expect([t.rows().length, told]).toEqual([1, false])
  })

  it('a hundred of them in one instance, and busy neighbours, all come to their end', async () => {
    const items = Array.from({ length: 100 }, (_, n) => n)
    const t = await oneEngine(
      {
        id: 'graph',
        variables: { n: { default: 0 } },
        activities: [
          {
            id: 'each',
            type: 'for-each',
            inputs: { items, concurrency: 30 },
            body: {
              activities: [
                { id: 'before', type: 'note' },
                { id: 'pay', type: 'book' },
                { id: 'nap', type: 'delay', inputs: { duration: '20ms' } },
                { id: 'count', type: 'set-variable', inputs: { name: 'n', value: { $expr: 'vars.n + 1' } } },
              ],
              connections: [
                { from: 'before', to: 'pay' },
                { from: 'pay', to: 'nap' },
                { from: 'nap', to: 'count' },
              ],
            },
          },
          { id: 'out', type: 'set-output', inputs: { name: 'n', value: { $expr: 'vars.n' } } },
        ],
        connections: [{ from: 'each', to: 'out' }],
      },
      [book, effect('note', () => done())],
    )
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed', output: { n: 100 } })
    expect(new Set(t.rows().map(([, step]) => step)).size).toBe(100)
    expect(t.rows()).toHaveLength(100)
    expect(t.sim.check()).toEqual([])
  })

  it('neighbours that never rest do not keep it from its moment', async () => {
    let turns = 0
    let stop = false
    const t = await oneEngine(
      {
        id: 'graph',
        activities: [
          { id: 'nap', type: 'delay', inputs: { duration: '100ms' } },
          { id: 'pay', type: 'book' },
          { id: 'left', type: 'work', inputs: { ms: 1 }, join: 'any' },
          { id: 'right', type: 'work', inputs: { ms: 2 }, join: 'any' },
          { id: 'begin', type: 'log', inputs: { message: 'begin' } },
        ],
        connections: [
          { from: 'begin', to: 'nap' },
          { from: 'nap', to: 'pay' },
          ...['left', 'right'].flatMap((name) => [
            { from: 'begin', to: name },
            { from: name, outcome: 'again', to: name },
          ]),
        ],
      },
      [
        book,
        effect('work', async ({ ms }) => {
          turns += 1
          const pause = deferred<void>()
          t.sim.clock.schedule(Number(ms), pause.resolve, { keepAlive: true })
          await pause.promise
          return { kind: 'completed', outcome: stop ? 'over' : 'again' }
        }),
      ],
    )
    // A commit takes longer than a turn: whenever one is answered the other neighbour has something to write already.
    t.sim.store.useFaults({ latencyMs: [5, 5] })
    const id = await t.start(t.only, 'graph')
    await t.sim.run(3_000)
    stop = true
    expect(t.rows()).toEqual([[id, 'pay']])
    expect(turns).toBeGreaterThan(100)
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
  })
})

describe('its place in the journal', () => {
  it('is after what others had recorded before its moment came, in memory as in the store', async () => {
    const other = deferred<CompletedResult>()
    const t = await oneEngine(
      {
        id: 'graph',
        variables: { last: {} },
        activities: [
          {
            id: 'both',
            type: 'parallel',
            branches: [
              {
                activities: [
                  { id: 'nap', type: 'delay', inputs: { duration: '1s' } },
                  { id: 'pay', type: 'pay' },
                ],
                connections: [{ from: 'nap', to: 'pay' }],
              },
              body({ id: 'other', type: 'other' }),
            ],
          },
          { id: 'out', type: 'set-output', inputs: { name: 'last', value: { $expr: 'vars.last' } } },
        ],
        connections: [{ from: 'both', to: 'out' }],
      },
      [
        effect('other', () => other.promise),
        transactional('pay', async (inputs, context) => ({
          ...(await insert(inputs, context)),
          assign: { last: 'pay' },
        })),
      ],
    )
    const id = await t.start(t.only, 'graph')
    expect(await t.sim.runUntil(() => t.facts(id).includes('waiting both[0].nap'))).toBe(true)
    // The end of the nap is on its way to the store for a tenth of a second; there the other one ends.
    t.sim.store.useFaults({ latencyMs: [1, 1], calls: { 'commits.commit': { slow: 1 } } })
    await t.sim.run(1_040)
    other.resolve({ ...done(), assign: { last: 'other' } })
    const { output } = await t.end(t.only, id)
    const variables = t.drive(t.only.variables(id))
    expect([output, await variables]).toEqual([{ last: 'pay' }, { last: 'pay' }])
    expect(t.facts(id).filter((fact) => fact.startsWith('completed both'))).toEqual([
      'completed both[0].nap done',
      'completed both[1].other done',
      'completed both[0].pay done',
    ])
  })
})

describe('when the instance is taken away', () => {
  it('a cancel rolls it back at once, even where its code hangs', async () => {
    const t = await oneEngine(alone('pay'), [
      transactional('pay', async (inputs, context) => {
        await insert(inputs, context)
        return new Promise(() => {})
      }),
    ])
    const id = await t.start(t.only, 'graph')
    await t.sim.run(500)
    expect(await t.drive(t.only.cancel(id))).toBe(true)
    expect(await t.end(t.only, id, 5_000)).toMatchObject({ status: 'cancelled' })
    expect([t.rows(), t.facts(id)]).toEqual([[], ['started', 'cancelled', 'ended']])
  })

  it('a node that was buried meanwhile commits nothing; its successor does', async () => {
    const gate = deferred<void>()
    const engines = new SimulatedEngines()
    const slow = transactional('pay', async (_, { tx }) => {
      await tx.query('insert', ['old'])
      await gate.promise
      return done()
    })
    const quick = transactional('pay', async (_, { tx }) => {
      await tx.query('insert', ['new'])
      return done()
    })
    const old = await engines.boot('old', [slow])
    await engines.publish(old, alone('pay'))
    const id = await engines.start(old, 'graph')
    await engines.sim.run(500)
    const successor = await engines.boot('new', [quick])
    engines.sim.pause('old')
    await engines.sim.run(5_000)
    engines.sim.resume('old')
    gate.resolve()
    expect(await engines.end(successor, id)).toMatchObject({ status: 'completed' })
    await engines.sim.run(5_000)
    expect(engines.rows()).toEqual([['new']])
    expect(engines.sim.check()).toEqual([])
  })

  it('a bookmark that the transaction cancelled is closed by the next owner when the last one could not', async () => {
    const engines = new SimulatedEngines()
    const { store } = engines.sim
    const last = transactional('pay', async (inputs, context) => {
      store.useFaults({ calls: { 'commits.commit': { failed: 1 } } })
      return insert(inputs, context)
    })
    const first = await engines.boot('first', [last])
    await engines.publish(first, {
      id: 'graph',
      activities: [
        {
          id: 'race',
          type: 'parallel',
          inputs: { join: 'any' },
          branches: [
            {
              activities: [
                { id: 'nap', type: 'delay', inputs: { duration: '1s' } },
                { id: 'pay', type: 'pay' },
              ],
              connections: [{ from: 'nap', to: 'pay' }],
            },
            body({ id: 'ask', type: 'wait-for-event', inputs: { event: 'ask' } }),
          ],
        },
        { id: 'stay', type: 'wait-for-event', inputs: { event: 'stay' } },
      ],
      connections: [{ from: 'race', to: 'stay' }],
    })
    const open = () => [...store.inspect().bookmarks.values()].map(({ name }) => name)
    const id = await engines.start(first, 'graph')
    expect(await engines.sim.runUntil(() => engines.rows().length > 0, 20_000)).toBe(true)
    engines.sim.crash('first')
    store.useFaults({ calls: {} })
    expect(open()).toEqual(['ask'])
    const second = await engines.boot('second', [transactional('pay', insert)])
    await engines.sim.run(10_000)
    expect(open()).toEqual(['stay'])
    expect(await engines.drive(second.resume({ instanceId: id, bookmark: 'stay' }))).toBe('resumed')
    expect(await engines.end(second, id)).toMatchObject({ status: 'completed' })
    expect(engines.sim.check()).toEqual([])
  })
})

describe('the next owner', () => {
  it('starts its first effect although the wait that the transaction cancelled had no bookmark to close', async () => {
    const engines = new SimulatedEngines()
    const { store } = engines.sim
    const last = transactional('pay', async (inputs, context) => {
      store.useFaults({ calls: { 'commits.commit': { failed: 1 } } })
      return insert(inputs, context)
    })
    const note = effect('note', () => done())
    const first = await engines.boot('first', [last, note])
    await engines.publish(first, {
      id: 'graph',
      activities: [
        {
          id: 'race',
          type: 'parallel',
          inputs: { join: 'any' },
          branches: [body({ id: 'pay', type: 'pay' }), body({ id: 'nap', type: 'delay', inputs: { duration: '1h' } })],
        },
        { id: 'after', type: 'note' },
      ],
      connections: [{ from: 'race', to: 'after' }],
    })
    const id = await engines.start(first, 'graph')
    expect(await engines.sim.runUntil(() => engines.rows().length > 0, 20_000)).toBe(true)
    engines.sim.crash('first')
    store.useFaults({ calls: {} })
    const second = await engines.boot('second', [transactional('pay', insert), note])
    expect(await engines.end(second, id, 30_000)).toMatchObject({ status: 'completed' })
    expect(engines.rows()).toHaveLength(1)
  })
})
