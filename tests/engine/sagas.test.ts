import { deferred, type JsonObject, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type AnyWorkflow, type CustomActivity, Engine, StepFailed, workflow } from '@lockstep/engine'
import { type Db, openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { openEmbeddedEngine } from './open-test-engine.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))

describe('sagas', () => {
  let db: Db
  let drop: () => Promise<void>
  let done: string[]
  let gates: Map<string, ReturnType<typeof deferred<void>>>
  /** Names of those that have begun, each as often as it has. */
  let begun: string[]
  const opened: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    const database = await cloneDatabase(inject('postgres'))
    db = await openPostgres({ url: database.url, ...edge })
    drop = () => database.drop()
    done = []
    begun = []
    gates = new Map()
  })
  afterEach(async () => {
    for (const gate of gates.values()) gate.resolve()
    for (const each of opened.splice(0).reverse()) await each.close()
    await db.close()
    await drop()
  })

  const gate = (name: string) => {
    const present = gates.get(name) ?? deferred<void>()
    gates.set(name, present)
    return present
  }

  /** Writes its name down, stands at a gate of its name where there is one, fails as often as it is told to. */
  const act = (): CustomActivity => ({
    type: 'act',
    kind: 'action',
    title: 'Act',
    description: 'For tests.',
    inputs: { type: 'object' },
    outcomes: 'any',
    runs: 'effect',
    run: async (inputs, { step, attempt, idempotencyKey, signal }) => {
      const name = String(inputs.name ?? step)
      begun.push(name)
      await gates.get(name)?.promise
      if (inputs.stops && signal.aborted) throw new Error('told to stop')
      if (attempt <= Number(inputs.fails ?? 0)) throw new Error(`${name} fails`)
      done.push(inputs.keys ? idempotencyKey.replace(/^[^:]+:/, '') : name)
      return { kind: 'completed', outcome: 'done', output: (inputs.value ?? name) as string }
    },
  })

  const node = async (workflows: readonly AnyWorkflow[] = []): Promise<Engine> => {
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), workflows, activities: [act()] })
    let closed: Promise<void> | undefined
    opened.push({
      close: () => {
        closed ??= engine.close(200)
        return closed
      },
    })
    return engine
  }
  const publish = async (
    engine: Engine,
    document: { readonly id: string; readonly [member: string]: unknown },
  ): Promise<void> => {
    await engine.definitions.create('default', document as JsonObject)
    await engine.definitions.publish('default', document.id)
  }
  const end = (engine: Engine, id: string) => engine.waitForEnd(id, { limitMs: 30_000 })
  const until = async (look: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await look())) await soon()
  }

  /** What a step wrote down may be done once more by the next node until the journal has it. */
  const isUndone = (engine: Engine, instanceId: string, step: string) => async (): Promise<boolean> =>
    (await engine.compensations(instanceId)).some((each) => each.step === step && each.state === 'undone')

  const undoable = (id: string, more: object = {}, undo: object = {}) => ({
    id,
    type: 'act',
    inputs: { name: id },
    compensate: { activities: [{ id: `un-${id}`, type: 'act', inputs: { name: `un-${id}` }, ...undo }] },
    ...more,
  })
  const order = {
    id: 'order',
    activities: [
      undoable('reserve'),
      undoable('charge', {}, { inputs: { name: { $expr: "'un-charge ' + steps.charge.output + ' ' + error.code" } } }),
      { id: 'ship', type: 'fault', inputs: { message: 'no truck', code: 'NO_TRUCK' } },
    ],
    connections: [
      { from: 'reserve', to: 'charge' },
      { from: 'charge', to: 'ship' },
    ],
  }

  describe('of a graph', () => {
    it('undo newest first when it fails, with the failure in sight, and end with that failure', async () => {
      const engine = await node()
      await publish(engine, order)
      gate('un-reserve')
      const { instanceId } = await engine.start({ definitionId: 'order' })
      await until(async () => (await engine.get(instanceId)).status === 'compensating')
      await until(isUndone(engine, instanceId, 'charge'))
      expect(await engine.compensations(instanceId)).toEqual([
        { step: 'reserve', state: 'undoing' },
        { step: 'charge', state: 'undone' },
      ])
      const why = await engine.why(instanceId)
      expect(why.blockers.map((each) => each.text)).toContain(
        'It undoes "reserve"; nothing is left after that; 1 of 2 steps are undone',
      )
      gate('un-reserve').resolve()
      expect(await end(engine, instanceId)).toMatchObject({ status: 'faulted', error: { code: 'NO_TRUCK' } })
      expect(done).toEqual(['reserve', 'charge', 'un-charge charge NO_TRUCK', 'un-reserve'])
      expect((await engine.get(instanceId)).incidents).toMatchObject([{ code: 'NO_TRUCK' }])
      expect((await engine.compensations(instanceId)).map((each) => each.state)).toEqual(['undone', 'undone'])
    })

    it('do the same on the embedded store', async () => {
      await using embedded = await openEmbeddedEngine({ activities: [act()] })
      await embedded.publish(order)
      expect(await embedded.run('order')).toMatchObject({ status: 'faulted', error: { code: 'NO_TRUCK' } })
      expect(done).toEqual(['reserve', 'charge', 'un-charge charge NO_TRUCK', 'un-reserve'])
    })

    it('undo what was done when it is cancelled, or leave it when told to', async () => {
      const engine = await node()
      await publish(engine, {
        id: 'waiting',
        activities: [undoable('reserve'), { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }],
        connections: [{ from: 'reserve', to: 'ask' }],
      })
      for (const [options, expected] of [
        [{ reason: 'changed my mind' }, ['reserve', 'un-reserve']],
        [{ compensate: false }, ['reserve']],
      ] as const) {
        done.length = 0
        const { instanceId } = await engine.start({ definitionId: 'waiting' })
        await until(async () => (await engine.get(instanceId)).status === 'suspended')
        expect(await engine.cancel(instanceId, options)).toBe(true)
        expect(await end(engine, instanceId)).toMatchObject({ status: 'cancelled' })
        expect(done).toEqual(expected)
        expect(await engine.resume({ instanceId, bookmark: 'go' })).not.toBe('resumed')
        expect(await engine.cancel(instanceId)).toBe(false)
      }
    })

    it('wait for a step that is at work, and undo it too unless it has stopped', async () => {
      const engine = await node()
      await publish(engine, { id: 'slow', activities: [undoable('charge')] })
      await publish(engine, {
        id: 'obedient',
        activities: [undoable('charge', { inputs: { name: 'charge', stops: true } })],
      })
      for (const [definitionId, expected] of [
        ['slow', ['charge', 'un-charge']],
        ['obedient', []],
      ] as const) {
        done.length = 0
        begun.length = 0
        gates.delete('charge')
        gate('charge')
        const { instanceId } = await engine.start({ definitionId })
        await until(() => begun.includes('charge'))
        await engine.cancel(instanceId)
        await until(async () => (await engine.get(instanceId)).status === 'compensating')
        gate('charge').resolve()
        expect(await end(engine, instanceId)).toMatchObject({ status: 'cancelled' })
        expect(done).toEqual(expected)
      }
    })

    it('try a compensation as often as it says, with one idempotency key', async () => {
      const engine = await node()
      const undo = { inputs: { fails: 2, keys: true }, retry: { attempts: 3, backoff: { initial: '10ms' } } }
      await publish(engine, {
        id: 'flaky',
        activities: [undoable('charge', {}, undo), { id: 'boom', type: 'fault', inputs: { message: 'no' } }],
        connections: [{ from: 'charge', to: 'boom' }],
      })
      const { instanceId } = await engine.start({ definitionId: 'flaky' })
      expect(await end(engine, instanceId)).toMatchObject({ status: 'faulted' })
      expect(done).toEqual(['charge', 'charge:undo.un-charge'])
    })

    it('stop where a compensation fails for good, say so, and keep what was before it', async () => {
      const engine = await node()
      await publish(engine, {
        id: 'stuck',
        activities: [
          undoable('reserve'),
          undoable('charge', {}, { inputs: { fails: 9 } }),
          { id: 'boom', type: 'fault', inputs: { message: 'no', code: 'NO' } },
        ],
        connections: [
          { from: 'reserve', to: 'charge' },
          { from: 'charge', to: 'boom' },
        ],
      })
      const { instanceId } = await engine.start({ definitionId: 'stuck' })
      const over = await end(engine, instanceId)
      expect(over).toMatchObject({ status: 'faulted', error: { code: 'COMPENSATION_FAILED', step: 'charge' } })
      expect((await engine.get(instanceId)).incidents).toMatchObject([{ code: 'COMPENSATION_FAILED', step: 'charge' }])
      expect(await engine.compensations(instanceId)).toEqual([
        { step: 'reserve', state: 'to-undo' },
        { step: 'charge', state: 'failed' },
      ])
      expect((await engine.why(instanceId)).blockers).toMatchObject([{ kind: 'compensation-failed' }])
      expect(done).toEqual(['reserve', 'charge'])
    })

    it('go on where a compensation failed when it is retried, and cannot be retried once all is undone', async () => {
      let isOpen = false
      const bank: CustomActivity = {
        ...act(),
        type: 'bank',
        runs: 'effect',
        run: async () => {
          if (!isOpen) throw new Error('bank is closed')
          done.push('refunded')
          return { kind: 'completed', outcome: 'done' }
        },
      }
      const second = await Engine.open({ ...edge, store: postgresEngineStore(db), activities: [act(), bank] })
      opened.push({ close: () => second.close(200) })
      await publish(second, {
        id: 'closed',
        activities: [
          undoable('reserve'),
          undoable('charge', {}, { type: 'bank', inputs: {} }),
          { id: 'boom', type: 'fault', inputs: { message: 'no', code: 'NO' } },
        ],
        connections: [
          { from: 'reserve', to: 'charge' },
          { from: 'charge', to: 'boom' },
        ],
      })
      const { instanceId } = await second.start({ definitionId: 'closed' })
      expect(await end(second, instanceId)).toMatchObject({ error: { code: 'COMPENSATION_FAILED' } })
      isOpen = true
      expect(await second.verbs.retry(instanceId)).toMatchObject({ outcome: 'accepted' })
      await until(async () => (await second.compensations(instanceId)).every((each) => each.state === 'undone'))
      expect(await end(second, instanceId)).toMatchObject({ status: 'faulted', error: { code: 'NO' } })
      expect(done).toEqual(['reserve', 'charge', 'refunded', 'un-reserve'])
      expect(await second.verbs.retry(instanceId)).toEqual({ outcome: 'undone' })
      expect(await second.verbs.retry(instanceId, { step: 'reserve' })).toEqual({ outcome: 'undone' })
      // What went wrong stays in sight.
      expect(await second.get(instanceId)).toMatchObject({ status: 'faulted', error: { code: 'NO' } })
      expect((await second.get(instanceId)).incidents).toHaveLength(1)
      expect(done).toHaveLength(4)
    })

    it('undo the body of a try where its catch says so, then go on', async () => {
      const engine = await node()
      await publish(engine, {
        id: 'guarded',
        activities: [
          undoable('before'),
          {
            id: 'guard',
            type: 'try',
            body: {
              activities: [
                {
                  id: 'each',
                  type: 'for-each',
                  inputs: { items: ['a', 'b'] },
                  body: {
                    activities: [
                      undoable(
                        'book',
                        { inputs: { name: { $expr: "'book ' + item" } } },
                        { inputs: { name: { $expr: "'un ' + item + ' ' + steps.book.output" } } },
                      ),
                    ],
                  },
                },
                { id: 'boom', type: 'fault', inputs: { message: 'no' } },
              ],
              connections: [{ from: 'each', to: 'boom' }],
            },
            catch: { activities: [{ id: 'undo', type: 'compensate' }] },
          },
          { id: 'after', type: 'act', inputs: { name: 'after' } },
        ],
        connections: [
          { from: 'before', to: 'guard' },
          { from: 'guard', to: 'after' },
        ],
      })
      const { instanceId } = await engine.start({ definitionId: 'guarded' })
      expect(await end(engine, instanceId)).toMatchObject({ status: 'completed' })
      expect(done).toEqual(['before', 'book a', 'book b', 'un b book b', 'un a book a', 'after'])
    })

    it('go on with the undoing on another node', async () => {
      const one = await node()
      await publish(one, order)
      gate('un-reserve')
      const { instanceId } = await one.start({ definitionId: 'order' })
      await until(isUndone(one, instanceId, 'charge'))
      await one.close(0)
      gate('un-reserve').resolve()
      gates.clear()
      const two = await node()
      expect(await end(two, instanceId)).toMatchObject({ status: 'faulted', error: { code: 'NO_TRUCK' } })
      // The one that was cut off may have written its name too: at least once.
      expect(done.slice(0, 3)).toEqual(['reserve', 'charge', 'un-charge charge NO_TRUCK'])
      expect(new Set(done.slice(3))).toEqual(new Set(['un-reserve']))
    })
  })

  describe('of a function', () => {
    const compensated = (name: string) => ({ compensate: () => done.push(`un-${name}`) })
    const place = workflow('place', async (ctx, input: { readonly fails?: boolean }) => {
      await ctx.step('reserve', () => done.push('reserve'), compensated('reserve'))
      const charge = await ctx.step(
        'charge',
        async () => {
          done.push('charge')
          return { id: 'ch_1' }
        },
        {
          compensate: {
            run: async ({ id }, { idempotencyKey, attempt }) => {
              await gates.get('un-charge')?.promise
              if (attempt < 3) throw new Error('not yet')
              done.push(`un-charge ${id} ${idempotencyKey.replace(/^[^:]+:/, '')}`)
            },
            retry: { attempts: 5, initial: 10 },
          },
        },
      )
      if (input?.fails) await ctx.step('ship', () => Promise.reject(new Error('no truck')))
      await ctx.waitFor('go')
      return charge
    })

    it('undo newest first when it fails, each under a key of its own, and end with its failure', async () => {
      const engine = await node([place as AnyWorkflow])
      const { instanceId } = await engine.start({ definitionId: 'place', input: { fails: true } })
      expect(await end(engine, instanceId)).toMatchObject({
        status: 'faulted',
        error: { message: 'no truck', step: 'ship' },
      })
      expect(done).toEqual(['reserve', 'charge', 'un-charge ch_1 @undo:charge', 'un-reserve'])
      const kinds = (await engine.journal(instanceId)).map((row) => row.kind)
      expect(kinds).toEqual([
        ...['started', 'completed', 'completed', 'failed', 'undoing'],
        ...['retrying', 'retrying', 'completed', 'completed', 'ended'],
      ])
      expect(await engine.compensations(instanceId)).toEqual([
        { step: 'reserve', state: 'undone' },
        { step: 'charge', state: 'undone' },
      ])
    })

    it('undo on a node that has not run the code, when it is cancelled', async () => {
      const one = await node([place as AnyWorkflow])
      const { instanceId } = await one.start({ definitionId: 'place', input: {} })
      await until(async () => (await one.get(instanceId)).status === 'suspended')
      await one.close(0)
      const two = await node([place as AnyWorkflow])
      expect(await two.cancel(instanceId)).toBe(true)
      expect(await end(two, instanceId)).toMatchObject({ status: 'cancelled' })
      expect(done).toEqual(['reserve', 'charge', 'un-charge ch_1 @undo:charge', 'un-reserve'])
    })

    it('go on with the undoing on another node, and undo nothing twice', async () => {
      gate('un-charge')
      const one = await node([place as AnyWorkflow])
      const { instanceId } = await one.start({ definitionId: 'place', input: {} })
      await until(async () => (await one.get(instanceId)).status === 'suspended')
      await one.cancel(instanceId)
      await until(async () => (await one.get(instanceId)).status === 'compensating')
      await one.close(0)
      gate('un-charge').resolve()
      gates.clear()
      const two = await node([place as AnyWorkflow])
      expect(await end(two, instanceId)).toMatchObject({ status: 'cancelled' })
      expect(done.filter((each) => each === 'un-reserve')).toHaveLength(1)
      expect((await two.journal(instanceId)).filter((row) => row.kind === 'cancelled')).toHaveLength(1)
    })

    it('let the code ask for it, and go on', async () => {
      const mend = workflow('mend', async (ctx) => {
        await ctx.step('keep', () => done.push('keep'), compensated('keep'))
        try {
          await ctx.step('a', () => done.push('a'), compensated('a'))
          await ctx.step('b', () => done.push('b'), compensated('b'))
          await ctx.step('boom', () => Promise.reject(new Error('no')))
        } catch (error) {
          if (!StepFailed.is(error)) throw error
          await ctx.compensate('a', 'b')
        }
        await ctx.waitFor('go')
        await ctx.step('after', () => done.push('after'))
        throw new Error('and in the end')
      })
      const one = await node([mend as AnyWorkflow])
      const { instanceId } = await one.start({ definitionId: 'mend' })
      await until(async () => (await one.get(instanceId)).status === 'suspended')
      await one.close(0)
      const two = await node([mend as AnyWorkflow])
      await two.publish({ name: 'go' })
      expect(await end(two, instanceId)).toMatchObject({ status: 'faulted', error: { message: 'and in the end' } })
      expect(done).toEqual(['keep', 'a', 'b', 'un-b', 'un-a', 'after', 'un-keep'])
    })

    it('wait for a step that is at work beside the one that failed, and undo it', async () => {
      gate('slow')
      const both = workflow('both', async (ctx) => {
        await ctx.all([
          ctx.step(
            'slow',
            async () => {
              await gates.get('slow')!.promise
              done.push('slow')
            },
            compensated('slow'),
          ),
          ctx.step('fast', () => Promise.reject(new Error('no'))),
        ])
        await ctx.step('never', () => done.push('never'))
      })
      const engine = await node([both as AnyWorkflow])
      const { instanceId } = await engine.start({ definitionId: 'both' })
      await until(async () => (await engine.get(instanceId)).status === 'compensating')
      gate('slow').resolve()
      expect(await end(engine, instanceId)).toMatchObject({ status: 'faulted', error: { step: 'fast' } })
      expect(done).toEqual(['slow', 'un-slow'])
    })

    it('say which step could not be undone, keep the rest, and go on there when retried', async () => {
      let isOpen = false
      const stuck = workflow('stuck-function', async (ctx) => {
        await ctx.step('reserve', () => 1, compensated('reserve'))
        await ctx.step('charge', () => 1, {
          compensate: () => (isOpen ? done.push('un-charge') : Promise.reject(new Error('bank is closed'))),
        })
        throw new Error('no')
      })
      const engine = await node([stuck as AnyWorkflow])
      const { instanceId } = await engine.start({ definitionId: 'stuck-function' })
      expect(await end(engine, instanceId)).toMatchObject({
        status: 'faulted',
        error: { code: 'COMPENSATION_FAILED', step: 'charge', data: { cause: { message: 'no' } } },
      })
      expect(await engine.compensations(instanceId)).toEqual([
        { step: 'reserve', state: 'to-undo' },
        { step: 'charge', state: 'failed' },
      ])
      expect(done).toEqual([])
      isOpen = true
      await engine.verbs.retry(instanceId)
      await until(async () => (await engine.compensations(instanceId)).every((each) => each.state === 'undone'))
      await until(async () => (await engine.get(instanceId)).status === 'faulted')
      expect(done).toEqual(['un-charge', 'un-reserve'])
      expect((await engine.get(instanceId)).error).toMatchObject({ message: 'no' })
      expect(await engine.verbs.retry(instanceId)).toEqual({ outcome: 'undone' })
      expect((await engine.get(instanceId)).error).toMatchObject({ message: 'no' })
    })
  })

  describe('with children', () => {
    const child = workflow('child', async (ctx) => {
      await ctx.step('child', () => done.push('child'), { compensate: () => done.push('un-child') })
      await ctx.waitFor('never')
    })
    const family = {
      id: 'family',
      activities: [undoable('parent'), { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'middle' } }],
      connections: [{ from: 'parent', to: 'kid' }],
    }

    it('cancel them first, to the last one, and undo in the order of a single workflow', async () => {
      const middle = workflow('middle', async (ctx) => {
        await ctx.step('middle', () => done.push('middle'), { compensate: () => done.push('un-middle') })
        await ctx.run(child as never, null as never)
      })
      const engine = await node([child as AnyWorkflow, middle as AnyWorkflow])
      await publish(engine, family)
      const { instanceId } = await engine.start({ definitionId: 'family' })
      await until(() => done.includes('child'))
      await until(async () => (await engine.list({ definitionId: 'child' }, 10))[0]?.status === 'suspended')
      await engine.cancel(instanceId)
      expect(await end(engine, instanceId)).toMatchObject({ status: 'cancelled' })
      expect(done).toEqual(['parent', 'middle', 'child', 'un-child', 'un-middle', 'un-parent'])
      for (const definitionId of ['middle', 'child'])
        expect((await engine.list({ definitionId }, 10)).map((each) => each.status)).toEqual(['cancelled'])
    })

    it('undo a child that completed by the compensation of its step', async () => {
      const quick = workflow('quick', async () => ({ id: 7 }))
      const parent = workflow('parent', async (ctx) => {
        await ctx.run(quick, null, { compensate: ({ id }) => done.push(`un-quick ${id}`) })
        throw new Error('no')
      })
      const engine = await node([quick as AnyWorkflow, parent as AnyWorkflow])
      const { instanceId } = await engine.start({ definitionId: 'parent' })
      expect(await end(engine, instanceId)).toMatchObject({ status: 'faulted' })
      expect(done).toEqual(['un-quick 7'])
    })
  })
})
