import { deferred, type JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { CompletedResult } from '../../activity/activity-handler.ts'
import { workflow } from '../../function/workflow.ts'
import { done, effect, oneEngine, SimulatedEngines } from './simulated-engine.fixture.ts'

const out = (name: string, value: string | { readonly $expr: string }) => ({
  id: name,
  type: 'set-output',
  inputs: { name, value },
})
const body = (...activities: JsonObject[]) => ({ activities })

describe('a graph in memory', () => {
  it('starts the effect after a time-out that cancelled a wait without a bookmark', async () => {
    const t = await oneEngine(
      {
        id: 'late',
        activities: [
          {
            id: 'race',
            type: 'parallel',
            inputs: { join: 'any' },
            branches: [
              body({ id: 'ask', type: 'wait-for-event', inputs: { event: 'never', timeout: '50ms' } }),
              body({ id: 'nap', type: 'delay', inputs: { duration: '1h' } }),
            ],
          },
          { id: 'after', type: 'note' },
        ],
        connections: [{ from: 'race', to: 'after' }],
      },
      [effect('note', () => done('noted'))],
    )
    const id = await t.start(t.only, 'late')
    expect(await t.end(t.only, id, 20_000)).toMatchObject({ status: 'completed' })
    expect(t.facts(id)).toContain('completed after done')
  })

  it('closes the bookmark of a cancelled wait although nothing new begins', async () => {
    const t = await oneEngine(
      {
        id: 'outer',
        activities: [
          {
            id: 'both',
            type: 'parallel',
            branches: [
              body({
                id: 'race',
                type: 'parallel',
                inputs: { join: 'any' },
                branches: [
                  body({ id: 'one', type: 'wait-for-event', inputs: { event: 'one' } }),
                  body({ id: 'nap', type: 'delay', inputs: { duration: '50ms' } }),
                ],
              }),
              body({ id: 'two', type: 'wait-for-event', inputs: { event: 'two' } }),
            ],
          },
        ],
      },
      [],
    )
    const id = await t.start(t.only, 'outer')
    await t.sim.run(5_000)
    expect([...t.sim.store.inspect().bookmarks.values()].map(({ name }) => name)).toEqual(['two'])
    expect(await t.drive(t.only.resume({ instanceId: id, bookmark: 'two' }))).toBe('resumed')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
    expect(t.sim.check()).toEqual([])
  })

  it('fails the step whose result names a variable that is not declared', async () => {
    const t = await oneEngine(
      {
        id: 'undeclared',
        activities: [{ id: 'bad', type: 'assign', onError: 'outcome' }, out('code', { $expr: 'steps.bad.error.code' })],
        connections: [{ from: 'bad', outcome: 'failed', to: 'code' }],
      },
      [effect('assign', () => ({ kind: 'completed', outcome: 'done', assign: { nobody: 1 } }))],
    )
    const id = await t.start(t.only, 'undeclared')
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed', output: { code: 'INVALID_FACT' } })
  })

  it('does not put a time-out to the store whose step a timer of the same moment has cancelled', async () => {
    const t = await oneEngine(
      {
        id: 'same-moment',
        activities: [
          {
            id: 'race',
            type: 'parallel',
            inputs: { join: 'any' },
            branches: [
              body({ id: 'ask', type: 'wait-for-event', inputs: { event: 'never', timeout: '50ms' } }),
              body({ id: 'nap', type: 'delay', inputs: { duration: '50ms' } }),
            ],
          },
          out('end', 'reached'),
        ],
        connections: [{ from: 'race', to: 'end' }],
      },
      [],
    )
    const id = await t.start(t.only, 'same-moment')
    expect(await t.end(t.only, id, 20_000)).toMatchObject({ status: 'completed', output: { end: 'reached' } })
    expect(t.facts(id).filter((fact) => fact.includes('ask') && fact.startsWith('completed'))).toEqual([])
    expect(t.sim.check()).toEqual([])
  })

  it('fires a timer beside an effect that takes longer', async () => {
    const slow = deferred<CompletedResult>()
    const t = await oneEngine(
      {
        id: 'beside',
        activities: [
          {
            id: 'both',
            type: 'parallel',
            branches: [
              body({ id: 'nap', type: 'delay', inputs: { duration: '50ms' } }),
              body({ id: 'slow', type: 'slow' }),
            ],
          },
        ],
      },
      [effect('slow', () => slow.promise)],
    )
    const id = await t.start(t.only, 'beside')
    await t.sim.run(1_000)
    expect(t.facts(id)).toContain('completed both[0].nap done')
    slow.resolve(done())
    expect(await t.end(t.only, id)).toMatchObject({ status: 'completed' })
  })

  it('fails a container that takes too long while an effect inside it hangs, and tells the effect', async () => {
    let reason: unknown
    const t = await oneEngine(
      {
        id: 'hanging',
        activities: [
          {
            id: 'guard',
            type: 'try',
            timeout: '3s',
            body: body({ id: 'hang', type: 'hang' }),
            finally: body({ id: 'tidy', type: 'log', inputs: { message: 'tidy' } }),
          },
        ],
      },
      [
        effect('hang', (_, { signal }) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
          })
          return new Promise(() => {})
        }),
      ],
    )
    const id = await t.start(t.only, 'hanging')
    expect(await t.end(t.only, id, 60_000)).toMatchObject({ status: 'faulted', error: { code: 'TIMED_OUT' } })
    expect(reason).toMatchObject({ code: 'CANCELLED' })
  })

  it('lets a function sleep beside a step that takes longer', async () => {
    const slow = deferred<string>()
    let wokeFirst = false
    const both = workflow('both', async (ctx) => {
      const nap = ctx.sleep('50ms').then(() => {
        wokeFirst = true
      })
      await ctx.all([nap, ctx.step('slow', () => slow.promise)])
    })
    const engines = new SimulatedEngines()
    const engine = await engines.boot('only', [], { workflows: [both] })
    const id = await engines.start(engine, 'both')
    await engines.sim.run(1_000)
    expect(wokeFirst).toBe(true)
    slow.resolve('late')
    expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
  })
})
