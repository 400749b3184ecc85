import { type EffectActivity, workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'

class Bank {
  isDown = true
  calls = 0

  async pay(): Promise<string> {
    this.calls += 1
    if (this.isDown) throw new Error('the bank is down')
    return 'paid'
  }
}

const breaker = { key: 'bank', failures: 3, window: '1m', openFor: '400ms' } as const
const retry = { attempts: 50, initial: 5, factor: 1 }

describe('a breaker', () => {
  it('opens after as many failures, lets one probe through, and closes when that went well', async () => {
    const bank = new Bank()
    const pays = workflow('pays', async (ctx) => ctx.step('pay', () => bank.pay(), { breaker, retry }))
    await using test = await openTestEngine({ workflows: [pays] })
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await test.engine.start({ definitionId: 'pays' })).instanceId),
    )
    // Each probe is two generations: it begins, and it ends. It opened with the first.
    const generation = async (): Promise<number> => (await test.engine.breakers.get('bank'))?.generation ?? 0
    // Attempts that were under way when it opened have come by the time the first probe begins.
    await until('a probe has begun', async () => (await generation()) >= 2)
    const from = await generation()
    const before = bank.calls
    await until('two more probes have failed', async () => (await generation()) >= from + 4)
    const { calls } = bank
    const begun = Math.floor((await generation()) / 2) - Math.floor(from / 2)
    // One more: the probe that had begun may have called after we counted.
    expect(calls - before).toBeLessThanOrEqual(begun + 1)
    expect(calls - before).toBeGreaterThan(0)
    expect((await test.engine.breakers.list())[0]).toMatchObject({ key: 'bank', reason: '3 failures within 1m' })
    bank.isDown = false
    for (const id of ids) expect((await test.engine.waitForEnd(id))?.output).toBe('paid')
    expect(await test.engine.breakers.get('bank')).toMatchObject({ state: 'closed' })
  })

  it('says why a step waits, is closed by hand and wakes who waited', async () => {
    const bank = new Bank()
    bank.isDown = false
    const pays = workflow('pays', async (ctx) => ctx.step('pay', () => bank.pay(), { breaker, retry }))
    await using test = await openTestEngine({ workflows: [pays] })
    const { breakers } = test.engine
    await breakers.trip('bank', { openFor: '1h', reason: 'maintenance' })
    const { instanceId } = await test.engine.start({ definitionId: 'pays' })
    await test.rests(instanceId, 'suspended')
    await until('why tells', async () => (await test.engine.why(instanceId)).blockers.length > 0)
    const why = await test.engine.why(instanceId)
    expect(why.blockers).toMatchObject([
      { kind: 'breaker', untilAt: expect.any(Number), step: expect.any(String), key: expect.any(String) },
    ])
    expect(why.text).toContain('Breaker "bank" is open')
    expect(bank.calls).toBe(0)
    expect(await breakers.reset('bank')).toBe(true)
    expect((await test.engine.waitForEnd(instanceId))?.output).toBe('paid')
    expect(await breakers.reset('unknown')).toBe(false)
    await expect(breakers.trip('', { openFor: '1s' })).rejects.toThrow('1 to 200')
  })

  it("is in nobody's way any more once it was closed by hand", async () => {
    const bank = new Bank()
    bank.isDown = false
    const pays = workflow('pays', async (ctx) => {
      await ctx.step('pay', () => bank.pay(), { breaker, retry })
      return ctx.waitFor('receipt')
    })
    await using test = await openTestEngine({ workflows: [pays] })
    const { breakers } = test.engine
    await breakers.trip('bank', { openFor: '1h' })
    const { instanceId } = await test.engine.start({ definitionId: 'pays' })
    await until('it waits', async () => (await test.engine.why(instanceId)).blockers.length > 0)
    await breakers.reset('bank')
    await until('it is paid', async () => (await test.engine.why(instanceId)).waitsFor.length > 0)
    expect((await test.engine.why(instanceId)).blockers).toEqual([])
  })

  it('fails the step when it is not to be waited for; of a graph, with a key of its own', async () => {
    const bank = new Bank()
    const pay: EffectActivity = {
      ...{ type: 'pay', kind: 'action', title: 'Pay', description: 'Pays.', outcomes: ['done'] },
      inputs: { type: 'object' },
      runs: 'effect',
      run: async () => ({ kind: 'completed', outcome: 'done', output: await bank.pay() }),
    }
    await using test = await openTestEngine({ activities: [pay] })
    const own = { failures: 2, window: '1m', openFor: '1h', whenOpen: 'fail' } as const
    await test.publish({ id: 'pays', activities: [{ id: 'p', type: 'pay', breaker: own }] })
    for (const code of ['STEP_FAILED', 'STEP_FAILED']) expect((await test.run('pays')).error).toMatchObject({ code })
    await until('it is open', async () => (await test.engine.breakers.get('pays/p'))?.state === 'open')
    expect((await test.run('pays')).error).toMatchObject({
      code: 'BREAKER_OPEN',
      message: expect.stringContaining('"pays/p" is open'),
      data: { key: 'pays/p', step: 'p' },
    })
    expect(bank.calls).toBe(2)
  })
})
