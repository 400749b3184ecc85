import { deferred, type JsonObject } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from './open-test-engine.ts'
import { chain, done, effect, ended, facts, healthy, until, waits } from './verbs-fixture.ts'

describe('terminate', () => {
  it('ends a waiting instance and one whose code runs, without waiting for that', async () => {
    const started = deferred<void>()
    let told = false
    const hang = effect('hang', async (_inputs, { signal }) => {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      told = true
      return done()
    })
    await using t = await openTestEngine({ activities: [hang] })
    await t.publish(waits())
    await t.publish(chain('hangs', [{ id: 'a', type: 'hang' }]))
    const [first, second] = [
      (await t.engine.start({ definitionId: 'waits' })).instanceId,
      (await t.engine.start({ definitionId: 'hangs' })).instanceId,
    ]
    await t.rests(first, 'suspended')
    await started.promise
    for (const id of [first, second]) {
      expect(await t.engine.verbs.terminate(id, { reason: 'enough' })).toEqual({ outcome: 'accepted' })
      expect(await ended(t, id)).toMatchObject({
        status: 'terminated',
        error: { code: 'TERMINATED', message: 'enough' },
      })
      expect(await t.engine.verbs.terminate(id)).toEqual({ outcome: 'wrong-state', status: 'terminated' })
    }
    expect(told).toBe(true)
    expect((await t.engine.get(first)).waitingFor).toEqual([])
    await healthy(t)
  })

  it('takes children with it when asked, and theirs, and leaves them alone otherwise', async () => {
    await using t = await openTestEngine()
    await t.publish(waits('leaf'))
    await t.publish(chain('middle', [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'leaf' } }]))
    await t.publish(chain('top', [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'middle' } }]))
    const family = async () => {
      const { instanceId: top } = await t.engine.start({ definitionId: 'top' })
      const of = async (definitionId: string, parentId: string) => {
        let found: string | undefined
        await until(async () => {
          found = (await t.engine.list({ definitionId }, 50)).find((each) => each.parentId === parentId)?.id
          return found !== undefined
        })
        return found!
      }
      const middle = await of('middle', top)
      return { top, middle, leaf: await of('leaf', middle) }
    }
    const all = await family()
    expect(await t.engine.verbs.terminate(all.top, { children: true })).toEqual({ outcome: 'accepted' })
    for (const id of [all.leaf, all.middle, all.top]) expect(await ended(t, id)).toMatchObject({ status: 'terminated' })
    const alone = await family()
    await t.rests(alone.leaf, 'suspended')
    await t.engine.verbs.terminate(alone.top)
    expect(await ended(t, alone.top)).toMatchObject({ status: 'terminated' })
    expect((await t.engine.get(alone.leaf)).status).toBe('suspended')
    await t.engine.publish({ name: 'leaf-go' })
    expect(await ended(t, alone.leaf)).toMatchObject({ status: 'completed' })
    await healthy(t)
  })

  it('lets one of a hundred win, whatever else is asked at the same time', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const { instanceId } = await t.engine.start({ definitionId: 'waits' })
    await t.rests(instanceId, 'suspended')
    const { verbs } = t.engine
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        n % 3 === 0 ? verbs.terminate(instanceId) : n % 3 === 1 ? verbs.pause(instanceId) : verbs.continue(instanceId),
      ),
    )
    expect(answers.some(({ outcome }) => outcome === 'accepted')).toBe(true)
    expect(await ended(t, instanceId)).toMatchObject({ status: 'terminated' })
    const kinds = (await t.engine.journal(instanceId)).map((row) => row.kind)
    expect(kinds.filter((kind) => kind === 'ended')).toHaveLength(1)
    await healthy(t)
  })

  it('ends what no living node has the code for', async () => {
    const program = workflow('gone', async (ctx) => ctx.waitFor('go'))
    await using t = await openTestEngine()
    const other = await t.beside({ workflows: [program] })
    const { instanceId } = await other.engine.start({ definitionId: 'gone' })
    await t.rests(instanceId, 'suspended')
    await other.engine.close(1_000)
    expect(await t.engine.verbs.terminate(instanceId, { children: true })).toEqual({ outcome: 'accepted' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'terminated' })
    await healthy(t)
  })

  it('answers for what does not exist', async () => {
    await using t = await openTestEngine()
    const { verbs } = t.engine
    for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense']) {
      expect(await verbs.terminate(id)).toEqual({ outcome: 'not-found' })
      expect(await verbs.pause(id)).toEqual({ outcome: 'not-found' })
      expect(await verbs.continue(id)).toEqual({ outcome: 'not-found' })
      expect(await verbs.retry(id)).toEqual({ outcome: 'not-found' })
      expect(await verbs.fork(id)).toEqual({ outcome: 'not-found' })
      expect(await verbs.setVariables(id, { a: 1 })).toEqual({ outcome: 'not-found' })
      expect(await verbs.migrate(id, { version: 2 })).toEqual({ outcome: 'not-found' })
    }
  })
})

describe('pause and continue', () => {
  it('keeps events and timers until it is continued, and costs nothing meanwhile', async () => {
    await using t = await openTestEngine()
    const branch = (...activities: JsonObject[]) => ({ activities, connections: [] })
    await t.publish({
      id: 'both',
      activities: [
        {
          id: 'par',
          type: 'parallel',
          branches: [
            branch({ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }),
            branch({ id: 'nap', type: 'delay', inputs: { duration: '12s' } }),
          ],
        },
      ],
      connections: [],
    } as never)
    const { instanceId } = await t.engine.start({ definitionId: 'both' })
    await t.rests(instanceId, 'suspended')
    expect(await t.engine.verbs.pause(instanceId, { reason: 'a look' })).toEqual({ outcome: 'accepted' })
    await t.rests(instanceId, 'paused')
    expect((await t.engine.get(instanceId)).dueAt).toBeUndefined()
    expect(await t.engine.why(instanceId)).toMatchObject({ state: 'paused' })
    expect(await t.engine.verbs.pause(instanceId)).toEqual({ outcome: 'wrong-state', status: 'paused' })
    expect(await t.engine.publish({ name: 'go', payload: { n: 1 } })).toMatchObject({ matched: 1 })
    await until(async () => (await t.engine.get(instanceId)).nodeId === undefined)
    expect((await t.engine.get(instanceId)).status).toBe('paused')
    expect((await facts(t.engine, instanceId)).filter((fact) => fact.startsWith('completed'))).toEqual([])
    await healthy(t)
    expect(await t.engine.verbs.continue(instanceId)).toEqual({ outcome: 'accepted' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    expect(await facts(t.engine, instanceId)).toEqual(
      expect.arrayContaining(['paused', 'continued', 'completed par[0].ask', 'completed par[1].nap']),
    )
    expect(await t.engine.verbs.continue(instanceId)).toEqual({ outcome: 'wrong-state', status: 'completed' })
    await healthy(t)
  })

  it.each(['graph', 'function'] as const)('lets a running step of a %s finish, and starts no other', async (kind) => {
    const gate = deferred<void>()
    const began = deferred<void>()
    const ran: string[] = []
    const work = async (step: string) => {
      ran.push(step)
      if (step !== 'a') return step
      began.resolve()
      await gate.promise
      return step
    }
    const slow = effect('slow', async (_inputs, { step }) => done(await work(step)))
    const program = workflow('f', async (ctx) => {
      const first = await ctx.step('a', () => work('a'))
      return [first, await ctx.step('b', () => work('b'))]
    })
    await using t = await openTestEngine({ activities: [slow], workflows: [program] })
    await t.publish(
      chain('g', [
        { id: 'a', type: 'slow' },
        { id: 'log', type: 'log', inputs: { message: 'x' } },
        { id: 'b', type: 'slow' },
      ]),
    )
    const { instanceId } = await t.engine.start({ definitionId: kind === 'graph' ? 'g' : 'f' })
    await began.promise
    expect(await t.engine.verbs.pause(instanceId)).toEqual({ outcome: 'accepted' })
    await until(async () => (await facts(t.engine, instanceId)).includes('paused'))
    expect(await t.engine.verbs.pause(instanceId)).toEqual({ outcome: 'wrong-state', status: 'paused' })
    gate.resolve()
    await t.rests(instanceId, 'paused')
    expect(await facts(t.engine, instanceId)).toEqual(['started', 'paused', 'completed a'])
    expect(ran).toEqual(['a'])
    await healthy(t)
    await t.engine.verbs.continue(instanceId)
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    expect(ran).toEqual(['a', 'b'])
  })

  it('may be taken back before it was heard of', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const { instanceId } = await t.engine.start({ definitionId: 'waits' })
    await t.rests(instanceId, 'suspended')
    expect(await t.engine.verbs.pause(instanceId)).toEqual({ outcome: 'accepted' })
    expect(await t.engine.verbs.continue(instanceId)).toEqual({ outcome: 'accepted' })
    await t.engine.publish({ name: 'waits-go' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    await healthy(t)
  })

  it('is ended by a cancel', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const { instanceId } = await t.engine.start({ definitionId: 'waits' })
    await t.rests(instanceId, 'suspended')
    await t.engine.verbs.pause(instanceId)
    await t.rests(instanceId, 'paused')
    expect(await t.engine.cancel(instanceId)).toBe(true)
    expect(await ended(t, instanceId)).toMatchObject({ status: 'cancelled' })
    await healthy(t)
  })
})
