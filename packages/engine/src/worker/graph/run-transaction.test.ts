import { deferred, type JsonObject, TimedOut } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { CompletedResult, TransactionalActivity } from '../../activity/activity-handler.ts'
import { DefinitionInvalid } from '../../definition/errors.ts'
import { workflow } from '../../function/workflow.ts'
import { book, done, effect, oneEngine, SimulatedEngines, transactional } from './simulated-engine.fixture.ts'

const alone = (type: string, more: JsonObject = {}) => ({ id: 'graph', activities: [{ id: 'pay', type, ...more }] })
/** Catches what "pay" failed with. */
const caught = (type: string, more: JsonObject = {}) => ({
  id: 'graph',
  activities: [
    { id: 'pay', type, onError: 'outcome', ...more },
    { id: 'code', type: 'set-output', inputs: { name: 'code', value: { $expr: 'steps.pay.error.code' } } },
  ],
  connections: [{ from: 'pay', outcome: 'failed', to: 'code' }],
})
const insert: TransactionalActivity['run'] = async (_, { tx, attempt }) => {
  await tx.query('insert', [attempt])
  return done()
}

describe('a transactional activity', () => {
  it('commits its statements together with its end, and is a step like any other in all else', async () => {
    const t = await oneEngine(
      {
        id: 'graph',
        variables: { paid: { default: 0 } },
        activities: [
          { id: 'pay', type: 'pay', effect: 'transactional', inputs: { amount: { $expr: 'input.amount * 2' } } },
          { id: 'out', type: 'set-output', inputs: { name: 'all', value: { $expr: '[vars.paid, steps.pay.output]' } } },
          { id: 'heard', type: 'wait-for-event', inputs: { event: 'paid' } },
        ],
        connections: [
          { from: 'pay', outcome: 'well', to: 'out' },
          { from: 'out', to: 'heard' },
        ],
      },
      [
        transactional('pay', async ({ amount = null }, { tx, idempotencyKey, instanceId }) => {
          await tx.query('insert', [idempotencyKey === `${instanceId}:pay`, amount])
          return {
            kind: 'completed',
            outcome: 'well',
            output: 'receipt',
            assign: { paid: amount },
            result: { receipt: 1 },
            publish: { name: 'paid', correlationId: undefined, payload: null },
          }
        }),
      ],
    )
    const id = await t.start(t.only, 'graph', { amount: 21 })
    expect(await t.end(t.only, id)).toMatchObject({
      status: 'completed',
      output: { receipt: 1, all: [42, 'receipt'] },
    })
    expect(t.rows()).toEqual([[true, 42]])
    expect(t.facts(id)).toContain('completed pay well')
    expect(t.sim.check()).toEqual([])
  })

  it('is rolled back when it fails, and tried again by its own policy', async () => {
    const t = await oneEngine(alone('pay', { retry: { attempts: 3, backoff: { initial: '100ms' } } }), [
      transactional('pay', async (inputs, context) => {
        await insert(inputs, context)
        if (context.attempt < 3) throw new Error('not yet')
        return done()
      }),
    ])
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
    expect(t.facts(id)).toEqual(['started', 'retrying pay', 'retrying pay', 'completed pay done', 'ended'])
    expect(t.rows()).toEqual([[3]])
  })

  it('fails at once with an error that calls itself retryable, where the step has no retry', async () => {
    let runs = 0
    const t = await oneEngine(caught('pay'), [
      transactional('pay', async (inputs, context) => {
        runs += 1
        await insert(inputs, context)
        throw new TimedOut({ what: 'the bank', afterMs: 5 })
      }),
    ])
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed', output: { code: 'TIMED_OUT' } })
    expect([runs, t.rows()]).toEqual([1, []])
  })

  it('commits nothing once its time is over, whatever its code still does', async () => {
    const gate = deferred<void>()
    let refused: unknown
    const t = await oneEngine(caught('pay', { timeout: '2s' }), [
      transactional('pay', async (_, { tx, signal }) => {
        await tx.query('insert', ['early'])
        await gate.promise
        refused = signal.reason
        await tx.query('insert', ['late']).catch(() => undefined)
        return done()
      }),
    ])
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id, 20_000)).toMatchObject({ status: 'completed', output: { code: 'TIMED_OUT' } })
    gate.resolve()
    await t.sim.run(1_000)
    expect(refused).toMatchObject({ code: 'TIMED_OUT' })
    expect(t.rows()).toEqual([])
  })

  it.each([
    ['a variable that is not declared', 'INVALID_FACT', { ...done(), assign: { nobody: 1 } }],
    ['a wait', 'INVALID_RESULT', { kind: 'waiting', wait: { kind: 'timer', ms: 1 } }],
    ['nothing', 'INVALID_RESULT', undefined],
    ['what JSON cannot hold', 'NOT_JSON', { ...done(), output: () => 1 }],
  ])('is rolled back when it gives %s', async (_, code, result) => {
    const t = await oneEngine(caught('pay'), [
      transactional('pay', async (inputs, context) => {
        await insert(inputs, context)
        return result as CompletedResult
      }),
    ])
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed', output: { code } })
    expect(t.rows()).toEqual([])
  })

  it('runs again when the database lost its connection, and is there once', async () => {
    let runs = 0
    const t = await oneEngine(alone('pay'), [
      transactional('pay', async (inputs, context) => {
        runs += 1
        t.sim.store.useFaults({ calls: { 'transactions.query': { failed: runs < 3 ? 1 : 0 } } })
        return insert(inputs, context)
      }),
    ])
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
    expect([runs, t.rows()]).toEqual([3, [[1]]])
    expect(t.facts(id)).toEqual(['started', 'completed pay done', 'ended'])
  })

  it('fails when the database undoes it again and again, and does not try for ever', async () => {
    let runs = 0
    const t = await oneEngine(caught('pay'), [
      transactional('pay', async (inputs, context) => {
        runs += 1
        return insert(inputs, context)
      }),
    ])
    t.sim.store.useFaults({ calls: { 'transactions.query': { failed: 1 } } })
    const id = await t.start(t.only, 'graph')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed', output: { code: 'TRANSACTION_UNDONE' } })
    expect([runs, t.rows()]).toEqual([10, []])
  })

  it.each(['lostAnswer', 'lostRequest', 'late'] as const)(
    'is there once although its commit had the fate "%s"',
    async (fate) => {
      const t = await oneEngine(alone('book'), [book])
      t.sim.store.useFaults({ calls: { 'transactions.commit': { [fate]: 0.4 } } })
      const ids = []
      for (let n = 0; n < 20; n += 1) ids.push(await t.start(t.only, 'graph'))
      for (const id of ids) expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
      expect(
        t
          .rows()
          .map(([id]) => id)
          .sort(),
      ).toEqual([...ids].sort())
      expect(t.sim.check()).toEqual([])
    },
  )

  it('is refused in a document where the code has no transaction', async () => {
    const engines = new SimulatedEngines()
    const engine = await engines.boot('only', [effect('plain', () => done())])
    await engines.drive(engine.definitions.create('default', alone('plain', { effect: 'transactional' })))
    const refused = engines.drive(engine.definitions.publish('default', 'graph'))
    await expect(refused).rejects.toSatisfy(DefinitionInvalid.is)
    await expect(refused).rejects.toMatchObject({
      details: { problems: [{ pointer: '/activities/0/effect', code: 'EFFECT_NOT_SUPPORTED' }] },
    })
  })

  it('is left for a node that has its code', async () => {
    const engines = new SimulatedEngines()
    const able = await engines.boot('able', [book])
    await engines.publish(able, alone('book', { effect: 'transactional' }))
    const plain = effect('book', () => {
      throw new Error('must not run')
    })
    const unable = await engines.boot('unable', [plain])
    const id = await engines.start(unable, 'graph')
    expect(await engines.end(unable, id)).toMatchObject({ status: 'completed' })
    expect(engines.rows()).toEqual([[id, 'pay']])
  })
})

describe('a transaction of a function', () => {
  it('fails with an error of its own that calls itself retryable, instead of running for ever', async () => {
    let runs = 0
    const pay = workflow('pay', async (ctx) => {
      await ctx.transaction('book', async (tx) => {
        runs += 1
        await tx.query('insert')
        throw new TimedOut({ what: 'the bank', afterMs: 5 })
      })
    })
    const engines = new SimulatedEngines()
    const engine = await engines.boot('only', [], { workflows: [pay] })
    const id = await engines.start(engine, 'pay')
    expect(await engines.end(engine, id, 20_000)).toMatchObject({ status: 'faulted', error: { code: 'TIMED_OUT' } })
    expect([runs, engines.rows()]).toEqual([1, []])
  })

  it('can start another workflow that exists when it commits', async () => {
    const child = workflow('child', async () => 'ran')
    const parent = workflow('parent', async (ctx) =>
      ctx.transaction('begin', async (tx) => (await engine.start({ definitionId: 'child', tx })).instanceId),
    )
    const engines = new SimulatedEngines()
    const engine = await engines.boot('only', [], { workflows: [parent, child] })
    const id = await engines.start(engine, 'parent')
    const { output } = await engines.end(engine, id)
    expect(await engines.end(engine, String(output))).toMatchObject({ status: 'completed', output: 'ran' })
  })
})
