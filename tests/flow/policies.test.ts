import { workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openEmbeddedEngine, openTestEngine } from '../engine/open-test-engine.ts'

/** Waits at a gate that the test opens, and says when it came in and went out. */
function gated() {
  const inside = new Set<string>()
  const seen: string[] = []
  let most = 0
  const open = new Map<string, () => void>()
  const enter = async (id: string): Promise<void> => {
    inside.add(id)
    seen.push(id)
    most = Math.max(most, inside.size)
    await new Promise<void>((resolve) => open.set(id, resolve))
    inside.delete(id)
  }
  return {
    enter,
    seen,
    get most() {
      return most
    },
    inside,
    async entered(count: number) {
      while (seen.length < count) await pause()
    },
    async leave(id: string) {
      while (!open.has(id)) await pause()
      open.get(id)!()
    },
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('flow policies', () => {
  const open = openTestEngine

  it('runs no more at once than the limit of a key says, in the order in which they came', async () => {
    const gate = gated()
    const order = workflow(
      'order',
      async (ctx, input: { customer: string; n: string }) => {
        await ctx.step('work', () => gate.enter(input.n))
        return input.n
      },
      { flow: { concurrency: { key: (input) => input.customer, limit: 1 } } },
    )
    await using t = await open({ workflows: [order] })
    const start = (customer: string, n: string) => t.engine.start({ definitionId: 'order', input: { customer, n } })
    const a1 = await start('a', 'a1')
    const a2 = await start('a', 'a2')
    const b1 = await start('b', 'b1')
    const a3 = await start('a', 'a3')
    expect([a1.flow, a2.flow, b1.flow, a3.flow]).toEqual(['started', 'queued', 'started', 'queued'])
    await gate.entered(2)
    expect(await t.engine.get(a2.instanceId)).toMatchObject({ status: 'queued', input: { customer: 'a', n: 'a2' } })
    await gate.leave('a1')
    await gate.entered(3)
    expect(gate.seen).toEqual(['a1', 'b1', 'a2'])
    for (const n of ['b1', 'a2', 'a3']) await gate.leave(n)
    expect(await t.engine.waitForEnd(a3.instanceId, { limitMs: 30_000 })).toMatchObject({ output: 'a3' })
    expect(await t.engine.flow.get('order')).toMatchObject({ alive: 0, waiting: 0 })
    expect((await t.engine.doctor()).findings).toEqual([])
  })

  it('says which limit a start waits for and what goes first, and takes a cancel while it waits', async () => {
    const gate = gated()
    const one = workflow('one', (ctx, n: string) => ctx.step('work', () => gate.enter(n)), {
      flow: { concurrency: { limit: 1 } },
    })
    await using t = await open({ workflows: [one] })
    await t.engine.start({ definitionId: 'one', input: '1' })
    await t.engine.start({ definitionId: 'one', input: '2' })
    const third = await t.engine.start({ definitionId: 'one', input: '3' })
    const why = await t.engine.why(third.instanceId)
    expect(why).toMatchObject({ state: 'queued', status: 'queued', blockers: [{ kind: 'flow-concurrency' }] })
    expect(why.text).toContain('1 instance(s) may be alive at once, and 1 go first')
    expect(await t.engine.cancel(third.instanceId, { reason: 'enough' })).toBe(true)
    expect(await t.engine.waitForEnd(third.instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'cancelled' })
    expect(gate.seen).toEqual(['1'])
    await gate.leave('1')
    await gate.leave('2')
  })

  it('follows an edit at run time, for those who wait too, and what the code says when it is taken back', async () => {
    const gate = gated()
    const job = workflow('job', (ctx, n: string) => ctx.step('work', () => gate.enter(n)), {
      flow: { concurrency: { limit: 1 } },
    })
    await using t = await open({ workflows: [job] })
    for (const input of ['1', '2', '3', '4']) await t.engine.start({ definitionId: 'job', input })
    await gate.entered(1)
    const set = await t.engine.flow.set('job', { concurrency: { limit: 3 } })
    expect(set).toMatchObject({ revision: 2, declared: { concurrency: { limit: 1 } } })
    await gate.entered(3)
    expect(gate.inside.size).toBe(3)
    await t.engine.flow.set('job', undefined, { ifRevision: 2 })
    for (const n of ['1', '2', '3']) await gate.leave(n)
    await gate.leave('4')
    expect(gate.most).toBe(3)
    await expect(t.engine.flow.set('job', {}, { ifRevision: 2 })).rejects.toMatchObject({
      code: 'FLOW_POLICY_CHANGED',
      details: { revision: 3 },
    })
  })

  it('refuses, attaches or replaces beside a living singleton', async () => {
    const gate = gated()
    const report = workflow('report', (ctx, n: string) =>
      ctx.step('work', ({ signal }) => Promise.race([gate.enter(n), aborted(signal)])),
    )
    await using t = await open({ workflows: [report] })
    await t.engine.flow.set('report', { singleton: {} })
    const first = await t.engine.start({ definitionId: 'report', input: '1' })
    await expect(t.engine.start({ definitionId: 'report', input: '2' })).rejects.toMatchObject({
      code: 'SINGLETON_BUSY',
      details: { instanceId: first.instanceId },
    })
    await t.engine.flow.set('report', { singleton: { onBusy: 'attach' } })
    expect(await t.engine.start({ definitionId: 'report', input: '3' })).toEqual({
      instanceId: first.instanceId,
      created: false,
      here: false,
      flow: 'attached',
    })
    await t.engine.flow.set('report', { singleton: { onBusy: 'replace' } })
    const last = await t.engine.start({ definitionId: 'report', input: '4' })
    expect(await t.engine.waitForEnd(first.instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'cancelled' })
    await gate.leave('4')
    expect(await t.engine.waitForEnd(last.instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'completed' })
  })

  it('holds graphs back by an expression over their input, from the moment of publishing', async () => {
    await using t = await open({})
    await t.publish({
      id: 'mail',
      flow: {
        throttle: { key: { $expr: 'input.to' }, limit: 1, per: '1h' },
        priority: { $expr: 'input.urgent ? 9 : 0' },
      },
      activities: [{ id: 'out', type: 'set-output', inputs: { name: 'to', value: { $expr: 'input.to' } } }],
    })
    expect(await t.run('mail', { to: 'a' })).toMatchObject({ status: 'completed', output: { to: 'a' } })
    await expect(t.run('mail', { to: 'a' })).rejects.toMatchObject({ code: 'START_THROTTLED', details: { key: 'a' } })
    expect((await t.run('mail', { to: 'b' })).status).toBe('completed')
    const draft = await t.engine.definitions.draft('default', 'mail')
    const { flow: _, ...free } = draft.document as Record<string, never>
    await t.engine.definitions.saveDraft('default', 'mail', free, draft.revision)
    await t.engine.definitions.publish('default', 'mail')
    expect((await t.run('mail', { to: 'a' })).status).toBe('completed')
  })

  it('gathers inputs into one start, and the last of many when it is calm', async () => {
    const sum = workflow('sum', async (_ctx, inputs: readonly number[]) => inputs.reduce((a, b) => a + b, 0))
    const save = workflow('save', async (_ctx, input: { doc: string; text: string }) => input.text, {
      flow: { debounce: { key: (input) => input.doc, wait: 150 } },
    })
    await using t = await open({ workflows: [sum, save] })
    await t.engine.flow.set('sum', { batch: { size: 3, wait: '1h' } })
    const batched = await Promise.all([1, 2, 3].map((input) => t.engine.start({ definitionId: 'sum', input })))
    const [id] = new Set(batched.map((each) => each.instanceId))
    expect(new Set(batched.map((each) => each.instanceId)).size).toBe(1)
    expect(batched.filter((each) => each.created)).toHaveLength(1)
    expect(await t.engine.waitForEnd(id!, { limitMs: 30_000 })).toMatchObject({ output: 6 })

    const saves = []
    for (const text of ['h', 'he', 'hel'])
      saves.push(await t.engine.start({ definitionId: 'save', input: { doc: 'd', text } }))
    expect(new Set(saves.map((each) => each.instanceId)).size).toBe(1)
    expect(await t.engine.waitForEnd(saves[0]!.instanceId, { limitMs: 30_000 })).toMatchObject({ output: 'hel' })
  })

  it('starts inside a transaction of the caller, and not when that is undone', async () => {
    const free = workflow('free', async (_ctx, input: number) => input, { flow: { concurrency: { limit: 1 } } })
    let within: { instanceId: string; flow?: string } | undefined
    const parent = workflow('parent', (ctx) =>
      ctx.transaction('both', async (tx) => {
        within = await t.engine.start({ definitionId: 'free', input: 7, tx })
        return within.instanceId
      }),
    )
    const undone = workflow('undone', (ctx) =>
      ctx.transaction('both', async (tx) => {
        await t.engine.start({ definitionId: 'free', input: 8, tx })
        throw new Error('never mind')
      }),
    )
    await using t = await open({ workflows: [free, parent, undone] })
    expect((await t.run('undone')).status).toBe('faulted')
    expect(await t.engine.list({ definitionId: 'free' }, 10)).toEqual([])
    expect((await t.run('parent')).status).toBe('completed')
    expect(within!.flow).toBe('started')
    expect(await t.engine.waitForEnd(within!.instanceId, { limitMs: 30_000 })).toMatchObject({ output: 7 })
  })

  it('lets children wait for their turn, and their parents for them', async () => {
    const child = workflow('child', async (ctx, n: number) => ctx.step('n', () => n * 2), {
      flow: { concurrency: { limit: 1 } },
    })
    const parent = workflow('parent', async (ctx) => ctx.all([1, 2, 3, 4].map((n) => ctx.run(child, n))))
    await using t = await open({ workflows: [child, parent] })
    expect(await t.run('parent')).toMatchObject({ status: 'completed', output: [2, 4, 6, 8] })
  })

  it('puts the runs of schedules under the policy of their workflow', async () => {
    const gate = gated()
    const nightly = workflow('nightly', (ctx) => ctx.step('work', () => gate.enter(ctx.instanceId)), {
      flow: { singleton: {} },
    })
    await using t = await open({ workflows: [nightly] })
    const first = await t.engine.start({ definitionId: 'nightly' })
    await gate.entered(1)
    await t.engine.schedules.create({
      id: 'night',
      definitionId: 'nightly',
      trigger: { cron: '0 3 * * *' },
      overlap: 'allow',
    })
    const run = await t.engine.schedules.triggerNow('night')
    const instanceId = (run as unknown as { instanceId: string }).instanceId
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'cancelled' })
    await gate.leave(first.instanceId)
    expect(gate.seen).toEqual([first.instanceId])
  })

  it('takes the slot again when an ended instance is sent back to work', async () => {
    let isBroken = true
    const flaky = workflow(
      'flaky',
      (ctx) =>
        ctx.step('work', () => {
          if (isBroken) throw new Error('not yet')
          return 'done'
        }),
      { flow: { concurrency: { limit: 1 } } },
    )
    await using t = await open({ workflows: [flaky] })
    const { instanceId } = await t.run('flaky')
    expect(await t.engine.flow.get('flaky')).toMatchObject({ alive: 0 })
    isBroken = false
    await t.engine.verbs.retry(instanceId)
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({ output: 'done' })
    expect(await t.engine.flow.get('flaky')).toMatchObject({ alive: 0 })
    expect((await t.run('flaky')).status).toBe('completed')
  })

  it.each([
    ['concurrency', { concurrency: { limit: 1 } }],
    ['singleton', { singleton: { onBusy: 'reject' } }],
  ] as const)('waits for its turn when it is sent back to work while another has the slot: %s', async (_, flow) => {
    const gate = gated()
    let isBroken = true
    const flaky = workflow(
      'flaky',
      (ctx, n: string) =>
        ctx.step('work', async () => {
          if (isBroken) throw new Error('not yet')
          await gate.enter(n)
        }),
      { flow },
    )
    await using t = await open({ workflows: [flaky] })
    const { instanceId } = await t.run('flaky', 'first')
    isBroken = false
    await t.engine.start({ definitionId: 'flaky', input: 'second' })
    await gate.entered(1)
    expect(await t.engine.verbs.retry(instanceId)).toEqual({ outcome: 'accepted' })
    expect((await t.engine.get(instanceId)).status).toBe('queued')
    expect((await t.engine.why(instanceId)).blockers.length).toBeGreaterThan(0)
    expect(await t.engine.flow.get('flaky')).toMatchObject({ alive: 1, waiting: 1 })
    await gate.leave('second')
    await gate.leave('first')
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'completed' })
    expect({ seen: gate.seen, most: gate.most }).toEqual({ seen: ['second', 'first'], most: 1 })
  })

  it('can be cancelled while it waits to go on', async () => {
    const gate = gated()
    let isBroken = true
    const flaky = workflow(
      'flaky',
      (ctx, n: string) =>
        ctx.step('work', async () => {
          if (isBroken) throw new Error('not yet')
          await gate.enter(n)
        }),
      { flow: { concurrency: { limit: 1 } } },
    )
    await using t = await open({ workflows: [flaky] })
    const { instanceId } = await t.run('flaky', 'first')
    isBroken = false
    await t.engine.start({ definitionId: 'flaky', input: 'second' })
    await gate.entered(1)
    await t.engine.verbs.retry(instanceId)
    await t.engine.cancel(instanceId)
    expect(await t.engine.waitForEnd(instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'cancelled' })
    await gate.leave('second')
    expect(gate.seen).toEqual(['second'])
  })

  it('takes a terminate and keeps a pause while it waits', async () => {
    const gate = gated()
    const one = workflow('one', (ctx, n: string) => ctx.step('work', () => gate.enter(n)), {
      flow: { concurrency: { limit: 1 } },
    })
    await using t = await open({ workflows: [one] })
    await t.engine.start({ definitionId: 'one', input: '1' })
    const second = await t.engine.start({ definitionId: 'one', input: '2' })
    const third = await t.engine.start({ definitionId: 'one', input: '3' })
    await t.engine.verbs.pause(second.instanceId)
    await t.engine.verbs.terminate(third.instanceId)
    expect(await t.engine.waitForEnd(third.instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'terminated' })
    expect(gate.seen).toEqual(['1'])
    await gate.leave('1')
    await t.rests(second.instanceId, 'paused')
    await t.engine.verbs.continue(second.instanceId)
    await gate.leave('2')
    expect(await t.engine.waitForEnd(second.instanceId, { limitMs: 30_000 })).toMatchObject({ status: 'completed' })
  })

  it('refuses what makes no sense, and starts nothing', async () => {
    const plain = workflow('plain', async (_ctx, input: unknown) => input as string)
    await using t = await open({ workflows: [plain] })
    await expect(t.engine.flow.set('plain', { concurency: { limit: 1 } } as never)).rejects.toMatchObject({
      code: 'FLOW_POLICY_INVALID',
      details: { problems: [{ pointer: '/concurency', code: 'UNKNOWN_FIELD' }] },
    })
    await expect(t.engine.flow.set('nobody', {})).rejects.toMatchObject({ code: 'DEFINITION_NOT_FOUND' })
    expect(await t.engine.flow.list()).toEqual([])
    await t.engine.flow.set('plain', { concurrency: { key: { $expr: 'input.customer.id' }, limit: 1 } })
    for (const input of [null, { customer: null }, { customer: { id: 'x'.repeat(201) } }, { customer: { id: [1] } }])
      await expect(t.engine.start({ definitionId: 'plain', input })).rejects.toMatchObject({
        code: 'FLOW_KEY_FAILED',
        details: { member: 'concurrency.key' },
      })
    for (const priority of [-1, 10, 1.5])
      await expect(t.engine.start({ definitionId: 'plain', priority })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      })
    expect(await t.engine.list({}, 10)).toEqual([])
    expect((await t.run('plain', { customer: { id: 7 } })).status).toBe('completed')
  })

  it('refuses to publish a graph whose policy makes no sense', async () => {
    await using t = await open({})
    const document = {
      id: 'bad',
      flow: { rate: { limit: 1, per: 'soon' } },
      activities: [{ id: 'a', type: 'log', inputs: { message: 'x' } }],
    }
    const { problems } = await t.engine.definitions.create('default', document)
    expect(problems).toMatchObject([{ pointer: '/flow/rate/per', code: 'INVALID_DURATION' }])
    await expect(t.engine.definitions.publish('default', 'bad')).rejects.toMatchObject({ code: 'DEFINITION_INVALID' })
  })
})

describe('flow policies on the embedded store', () => {
  it('hold starts back, gather them, and follow edits', async () => {
    const gate = gated()
    const work = workflow('work', (ctx, n: string) => ctx.step('work', () => gate.enter(n)), {
      flow: { concurrency: { limit: 1 } },
    })
    const sum = workflow('sum', async (_ctx, inputs: readonly number[]) => inputs.reduce((a, b) => a + b, 0), {
      flow: { batch: { size: 9, wait: 100 } },
    })
    await using t = await openEmbeddedEngine({ workflows: [work, sum] })
    const starts = []
    for (const input of ['1', '2', '3']) starts.push(await t.engine.start({ definitionId: 'work', input }))
    expect(starts.map((each) => each.flow)).toEqual(['started', 'queued', 'queued'])
    await gate.leave('1')
    await gate.entered(2)
    await t.engine.flow.set('work', { concurrency: { limit: 2 } })
    await gate.entered(3)
    expect(gate.most).toBe(2)
    await gate.leave('2')
    await gate.leave('3')
    const gathered = await Promise.all([1, 2, 3].map((input) => t.engine.start({ definitionId: 'sum', input })))
    expect(await t.engine.waitForEnd(gathered[0]!.instanceId, { limitMs: 30_000 })).toMatchObject({ output: 6 })
  })
})
