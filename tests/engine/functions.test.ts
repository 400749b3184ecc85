import { StepFailed, workflow } from '@lockstep/engine'
import type { Statement } from '@lockstep/postgres'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from './open-test-engine.ts'

/** As a user's own client would send it. */
const rawStatement = <Row>(text: string): Statement<readonly unknown[], Row> => ({
  name: '',
  text,
  readOnly: false,
  bind: (given) => given,
})

describe('function workflows', () => {
  it('retries a step as an agenda entry, with one idempotency key, and records each attempt', async () => {
    const keys = new Set<string>()
    const flaky = workflow('flaky', async (ctx) =>
      ctx.step(
        'call',
        async ({ attempt, idempotencyKey }) => {
          keys.add(idempotencyKey)
          if (attempt < 3) throw Object.assign(new Error('busy'), { code: 'BUSY' })
          return attempt
        },
        { retry: { attempts: 5, initial: '10ms' } },
      ),
    )
    await using t = await openTestEngine({ workflows: [flaky] })
    const { status, output, instanceId } = await t.run('flaky')
    expect([status, output, keys.size]).toEqual(['completed', 3, 1])
    expect((await t.engine.journal(instanceId)).map((row) => row.kind)).toEqual([
      'started',
      'retrying',
      'retrying',
      'completed',
      'ended',
    ])
  })

  it('hears an event while a step runs beside the wait', async () => {
    const beside = workflow('beside', async (ctx) => {
      let told: (value: unknown) => void
      const heard = new Promise((resolve) => {
        told = resolve
      })
      const wait = async () => {
        const payload = await ctx.waitFor('tell')
        told(payload)
        return payload
      }
      const [payload] = await ctx.all([wait(), ctx.step('until told', async () => void (await heard))])
      return payload
    })
    await using t = await openTestEngine({ workflows: [beside] })
    const { instanceId } = await t.engine.start({ definitionId: 'beside' })
    while ((await t.engine.get(instanceId)).waitingFor.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10))
    await t.engine.publish({ name: 'tell', payload: 'news' })
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 20_000 })).toMatchObject({ output: 'news' })
  })

  it('gives up after the last attempt, and at once for codes that are not to be retried; the code may catch it', async () => {
    let attempts = 0
    const caught = workflow('caught', async (ctx) => {
      try {
        return await ctx.step(
          'pay',
          async () => {
            attempts += 1
            throw Object.assign(new Error('card stolen'), { code: 'STOLEN' })
          },
          { retry: { attempts: 5, initial: '1ms', nonRetryable: ['STOLEN'] } },
        )
      } catch (error) {
        return StepFailed.is(error) ? `${error.details.code}: ${error.message}` : 'something else'
      }
    })
    await using t = await openTestEngine({ workflows: [caught] })
    expect(await t.run('caught')).toMatchObject({ status: 'completed', output: 'STOLEN: card stolen' })
    expect(attempts).toBe(1)
  })

  it('ends as faulted with the step, the code and an incident when nobody catches', async () => {
    const broken = workflow('broken', async (ctx) =>
      ctx.step('boom', async () => Promise.reject(new TypeError('no such thing'))),
    )
    await using t = await openTestEngine({ workflows: [broken] })
    const end = await t.run('broken')
    expect(end).toMatchObject({
      status: 'faulted',
      error: { code: 'TypeError', message: 'no such thing', step: 'boom' },
    })
    expect((await t.engine.get(end.instanceId)).incidents).toMatchObject([{ code: 'TypeError', step: 'boom' }])
  })

  it('aborts the signal of a step that takes too long', async () => {
    let reason: unknown
    const slow = workflow('slow', async (ctx) =>
      ctx.step(
        'wait',
        ({ signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              reason = signal.reason
              reject(signal.reason)
            }),
          ),
        { timeout: '30ms' },
      ),
    )
    await using t = await openTestEngine({ workflows: [slow] })
    expect(await t.run('slow')).toMatchObject({ status: 'faulted', error: { code: 'TIMED_OUT' } })
    expect(reason).toMatchObject({ code: 'TIMED_OUT' })
  })

  it('cancels running code through its signal', async () => {
    let entered = (): void => {}
    const running = new Promise<void>((resolve) => {
      entered = resolve
    })
    const endless = workflow('endless', async (ctx) =>
      ctx.step(
        'spin',
        ({ signal }) =>
          new Promise((_, reject) => {
            entered()
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      ),
    )
    await using t = await openTestEngine({ workflows: [endless] })
    const { instanceId } = await t.engine.start({ definitionId: 'endless' })
    await running
    expect(await t.engine.cancel(instanceId, { reason: 'changed my mind' })).toBe(true)
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'cancelled' })
    expect((await t.engine.journal(instanceId)).map((row) => row.kind)).toEqual(['started', 'cancelled', 'ended'])
    expect(await t.engine.cancel(instanceId)).toBe(false)
  })

  it('runs branches side by side and children with their results', async () => {
    const child = workflow('child', async (ctx, input: { n: number }) => ctx.step('double', async () => input.n * 2))
    const parent = workflow('parent', async (ctx, input: { n: number }) => {
      const [left, right] = await ctx.all([ctx.run(child, { n: input.n }), ctx.step('own', async () => 'own')])
      return { left, right }
    })
    await using t = await openTestEngine({ workflows: [parent, child] })
    expect(await t.run('parent', { n: 21 })).toMatchObject({ status: 'completed', output: { left: 42, right: 'own' } })
  })

  it('gets an event that was published before it waited, and undefined when none comes', async () => {
    const early = workflow('early', async (ctx) => ctx.waitFor<{ n: number }>('ping'))
    const late = workflow('late', async (ctx) => (await ctx.waitFor('never', { timeout: '50ms' })) ?? 'nothing came')
    await using t = await openTestEngine({ workflows: [early, late] })
    expect(await t.engine.publish({ name: 'ping', payload: { n: 7 } })).toMatchObject({ matched: 0, kept: true })
    expect(await t.run('early')).toMatchObject({ status: 'completed', output: { n: 7 } })
    expect(await t.run('late')).toMatchObject({ status: 'completed', output: 'nothing came' })
  })

  it('names both sides when code and journal differ: NON_DETERMINISTIC', async () => {
    const before = workflow('renamed', async (ctx) => {
      await ctx.step('old name', async () => 1)
      return ctx.waitFor('go')
    })
    const after = workflow('renamed', async (ctx) => {
      await ctx.step('new name', async () => 1)
      return ctx.waitFor('go')
    })
    await using t = await openTestEngine({ workflows: [before] })
    const { instanceId } = await t.engine.start({ definitionId: 'renamed' })
    await t.rests(instanceId, 'suspended')
    await t.engine.close(1_000)
    const { Engine } = await import('@lockstep/engine')
    const { systemClock, systemRandom } = await import('@lockstep/base')
    const { postgresEngineStore } = await import('@lockstep/postgres')
    const changed = await Engine.open({
      store: postgresEngineStore(t.db),
      clock: systemClock,
      random: systemRandom,
      workflows: [after],
      flights: 1,
    })
    try {
      expect(await changed.resume({ instanceId, bookmark: 'go' })).toBe('resumed')
      const end = await changed.waitForEnd(instanceId, { limitMs: 30_000 })
      expect(end).toMatchObject({ status: 'faulted', error: { code: 'NON_DETERMINISTIC' } })
      expect(end?.error?.message).toMatch(/"new name".*"old name"/)
    } finally {
      await changed.close(1_000)
    }
  })

  it('keeps now and random the same when the function runs again', async () => {
    const seen: number[][] = []
    const clocked = workflow('clocked', async (ctx) => {
      seen.push([ctx.now(), ctx.random()])
      await ctx.waitFor('go')
      return seen.at(-1)
    })
    await using t = await openTestEngine({ workflows: [clocked], warmLimit: 0 })
    const { instanceId } = await t.engine.start({ definitionId: 'clocked' })
    await t.rests(instanceId, 'suspended')
    await t.engine.resume({ instanceId })
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({
      status: 'completed',
      output: seen[0],
    })
    expect(seen).toHaveLength(2)
    expect(seen[1]).toEqual(seen[0])
  })

  it('commits SQL of ctx.transaction together with the step, and rolls it back together', async () => {
    const bank = workflow('bank', async (ctx, input: { fail: boolean }) =>
      ctx.transaction('book', async (tx) => {
        await tx.query('insert into booking (id) values ($1)', [ctx.instanceId])
        if (input.fail) throw new Error('not today')
        return (await tx.query<{ count: number }>('select count(*)::int as count from booking'))[0]!.count
      }),
    )
    await using t = await openTestEngine({ workflows: [bank] })
    await t.db.script('create table public.booking (id uuid primary key)')
    expect(await t.run('bank', { fail: false })).toMatchObject({ status: 'completed', output: 1 })
    expect(await t.run('bank', { fail: true })).toMatchObject({ status: 'faulted', error: { message: 'not today' } })
    expect(await t.run('bank', { fail: false })).toMatchObject({ status: 'completed', output: 2 })
  })

  it('starts inside a transaction of the caller: nothing when it rolls back, the instance when it commits', async () => {
    const quick = workflow('quick', async () => 'done')
    await using t = await openTestEngine({ workflows: [quick] })
    const begin = (fail: boolean) =>
      t.db.transaction(async (tx) => {
        const query = <Row>(text: string, values: readonly unknown[] = []) => tx.many(rawStatement<Row>(text), values)
        const started = await t.engine.start({ definitionId: 'quick', tx: { query } })
        if (fail) throw new Error('rolled back')
        return started.instanceId
      })
    await expect(begin(true)).rejects.toThrow('rolled back')
    const instanceId = await begin(false)
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({
      status: 'completed',
      output: 'done',
    })
    expect(await t.engine.list({}, 10)).toHaveLength(1)
  })
})
