import type { JsonObject } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from './open-test-engine.ts'
import { chain, done, effect, ended, facts, healthy, until, waits } from './verbs-fixture.ts'

/** Fails while its name is in `broken`; counts how often each step ran, by idempotency key. */
function toys() {
  const broken = new Set<string>()
  const keys: string[] = []
  const run = (step: string, key: string): void => {
    keys.push(key.slice(key.indexOf(':') + 1))
    if (broken.has(step)) throw Object.assign(new Error(`${step} is broken`), { code: 'BROKEN' })
  }
  const toy = effect('toy', async (inputs, { step, idempotencyKey }) => {
    run(step, idempotencyKey)
    return done(inputs.value)
  })
  return { broken, keys, run, toy }
}

describe('retry', () => {
  it.each(['graph', 'function'])('from a step cancels the children of what it forgets: %s', async (kind) => {
    const { broken, run, toy } = toys()
    const program = workflow('function', async (ctx) => {
      await ctx.step('a', ({ idempotencyKey }) => run('a', idempotencyKey))
      const child = ctx.run('leaf', null)
      await ctx.step('b', ({ idempotencyKey }) => run('b', idempotencyKey))
      await child
    })
    await using t = await openTestEngine({ activities: [toy], workflows: [program] })
    await t.publish(waits('leaf'))
    const both = {
      id: 'both',
      type: 'parallel',
      branches: [
        { activities: [{ id: 'kid', type: 'run-workflow', inputs: { definitionId: 'leaf' } }] },
        { activities: [{ id: 'b', type: 'toy' }] },
      ],
    }
    await t.publish(chain('graph', [{ id: 'a', type: 'toy' }, both]))
    for (const step of ['b', 'both[1].b']) broken.add(step)
    const { instanceId, status } = await t.run(kind)
    expect(status).toBe('faulted')
    const leaves = async (of: string) =>
      (await t.engine.list({ definitionId: 'leaf', status: of }, 5)).map(({ id }) => id)
    await until(async () => (await leaves('suspended')).length === 1)
    const [before] = await leaves('suspended')
    broken.clear()
    expect(await t.engine.verbs.retry(instanceId, { step: 'a' })).toEqual({ outcome: 'accepted' })
    expect(await ended(t, before!)).toMatchObject({ status: 'cancelled' })
    await until(async () => (await leaves('suspended')).length === 1)
    expect(await leaves('suspended')).not.toContain(before)
    await t.engine.publish({ name: 'leaf-go' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    await healthy(t)
  })

  it('goes on from the failed step of a graph, and resolves its incident', async () => {
    const { broken, keys, toy } = toys()
    broken.add('b')
    await using t = await openTestEngine({ activities: [toy] })
    await t.publish(
      chain('g', [
        { id: 'a', type: 'toy' },
        { id: 'b', type: 'toy' },
        { id: 'c', type: 'toy' },
      ]),
    )
    const { instanceId, status } = await t.run('g')
    expect(status).toBe('faulted')
    const [incident] = (await t.engine.incidents.list({ instanceId })).incidents
    expect(incident).toMatchObject({ code: 'BROKEN', step: 'b', definitionId: 'g', resolvedAt: undefined })
    broken.clear()
    const answers = await Promise.all([1, 2, 3].map(() => t.engine.verbs.retry(instanceId, { note: 'mended' })))
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1)
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    expect(await facts(t.engine, instanceId)).toEqual([
      ...['started', 'completed a', 'failed b', 'ended', 'retried', 'completed b', 'completed c', 'ended'],
    ])
    expect(keys).toEqual(['a', 'b', 'b', 'c'])
    expect(await t.engine.incidents.get(incident!.id)).toMatchObject({ resolution: 'retried', note: 'mended' })
    expect(await t.engine.verbs.retry(instanceId)).toEqual({ outcome: 'wrong-state', status: 'completed' })
    await healthy(t)
  })

  it('goes on from the failed step of a function', async () => {
    const { broken, keys, run } = toys()
    broken.add('b')
    const program = workflow('f', async (ctx) => {
      for (const name of ['a', 'b', 'c']) await ctx.step(name, ({ idempotencyKey }) => run(name, idempotencyKey))
      return 'all'
    })
    await using t = await openTestEngine({ workflows: [program] })
    const { instanceId, status } = await t.run('f')
    expect(status).toBe('faulted')
    broken.clear()
    expect(await t.engine.verbs.retry(instanceId)).toEqual({ outcome: 'accepted' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed', output: 'all' })
    expect(keys).toEqual(['a', 'b', 'b', 'c'])
    await healthy(t)
  })

  it('goes back to an earlier step of a graph: what came after it is done again, under other keys', async () => {
    const { broken, keys, toy } = toys()
    broken.add('c')
    await using t = await openTestEngine({ activities: [toy] })
    const count = (id: string) => ({ id, type: 'set-variable', inputs: { name: 'n', value: { $expr: 'vars.n + 1' } } })
    await t.publish(
      chain(
        'g',
        [
          ...[{ id: 'a', type: 'toy' }, count('up'), { id: 'b', type: 'toy' }, { id: 'c', type: 'toy' }],
          { id: 'out', type: 'set-output', inputs: { name: 'n', value: { $expr: 'vars.n' } } },
        ],
        { variables: { n: { type: 'number', default: 0 } } },
      ),
    )
    const { instanceId } = await t.run('g')
    expect(await t.engine.verbs.retry(instanceId, { step: 'nowhere' })).toEqual({
      outcome: 'unknown-step',
      step: 'nowhere',
      steps: ['a', 'up', 'b', 'c'],
    })
    broken.clear()
    expect(await t.engine.verbs.retry(instanceId, { step: 'up', variables: { n: 40 } })).toEqual({
      outcome: 'accepted',
    })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed', output: { n: 41 } })
    expect(keys).toEqual(['a', 'b', 'c', 'b~1', 'c~1'])
    expect(await facts(t.engine, instanceId)).toContain('rewound up')
    await expect(t.engine.verbs.retry(instanceId, { variables: { n: 'text' } })).resolves.toMatchObject({
      outcome: 'wrong-state',
    })
    await healthy(t)
  })

  it('goes back to an earlier step of a function', async () => {
    const { broken, keys, run } = toys()
    broken.add('c')
    const program = workflow('f', async (ctx) => {
      for (const name of ['a', 'b', 'c']) await ctx.step(name, ({ idempotencyKey }) => run(name, idempotencyKey))
    })
    await using t = await openTestEngine({ workflows: [program] })
    const { instanceId } = await t.run('f')
    expect(await t.engine.verbs.retry(instanceId, { step: 'x' })).toMatchObject({ steps: ['a', 'b', 'c'] })
    broken.clear()
    expect(await t.engine.verbs.retry(instanceId, { step: 'b' })).toEqual({ outcome: 'accepted' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    expect(keys).toEqual(['a', 'b', 'c', 'b~1', 'c~1'])
  })

  it('gives branches their waits back, and hears of children that ended meanwhile', async () => {
    const { broken, toy } = toys()
    broken.add('par[0].bad')
    await using t = await openTestEngine({ activities: [toy] })
    await t.publish(waits('leaf'))
    const branch = (...activities: JsonObject[]) => ({ activities, connections: [] })
    await t.publish({
      id: 'wide',
      activities: [
        {
          id: 'par',
          type: 'parallel',
          branches: [
            {
              activities: [
                { id: 'start', type: 'wait-for-event', inputs: { event: 'begin' } },
                { id: 'bad', type: 'toy' },
              ],
              connections: [{ from: 'start', to: 'bad' }],
            },
            branch({ id: 'ask', type: 'wait-for-event', inputs: { event: 'answer' } }),
            branch({ id: 'child', type: 'run-workflow', inputs: { definitionId: 'leaf' } }),
          ],
        },
      ],
      connections: [],
    } as never)
    const { instanceId } = await t.engine.start({ definitionId: 'wide' })
    let child = ''
    await until(async () => {
      const [found] = await t.engine.list({ definitionId: 'leaf', status: 'suspended' }, 1)
      child = found?.id ?? ''
      return child !== '' && (await t.engine.get(instanceId)).waitingFor.length === 2
    })
    await t.engine.publish({ name: 'begin' })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'faulted' })
    await t.engine.publish({ name: 'leaf-go', payload: 'late' })
    expect(await ended(t, child)).toMatchObject({ status: 'completed' })
    broken.clear()
    expect(await t.engine.verbs.retry(instanceId)).toEqual({ outcome: 'accepted' })
    await until(async () => (await facts(t.engine, instanceId)).includes('completed par[2].child'))
    await until(async () => (await t.engine.get(instanceId)).waitingFor.length > 0)
    expect((await t.engine.get(instanceId)).waitingFor).toMatchObject([{ name: 'answer' }])
    expect(await t.engine.resume({ instanceId, bookmark: 'answer', payload: 1 })).toBe('resumed')
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    await healthy(t)
  })

  it('refuses a child whose parent has taken note of its end, unless it is forced', async () => {
    const { broken, toy } = toys()
    broken.add('b')
    await using t = await openTestEngine({ activities: [toy] })
    await t.publish(chain('child', [{ id: 'b', type: 'toy' }]))
    await t.publish(chain('parent', [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'child' } }]))
    const { instanceId: parentId, status } = await t.run('parent')
    expect(status).toBe('faulted')
    const [child] = await t.engine.list({ definitionId: 'child' }, 1)
    broken.clear()
    expect(await t.engine.verbs.retry(child!.id)).toEqual({ outcome: 'parent-told', parentId })
    expect((await t.engine.get(child!.id)).status).toBe('faulted')
    expect(await t.engine.verbs.retry(child!.id, { force: true })).toEqual({ outcome: 'accepted' })
    expect(await ended(t, child!.id)).toMatchObject({ status: 'completed' })
    expect((await t.engine.get(parentId)).status).toBe('faulted')
    // Its step runs again: a new child.
    expect(await t.engine.verbs.retry(parentId)).toEqual({ outcome: 'accepted' })
    expect(await ended(t, parentId)).toMatchObject({ status: 'completed' })
    expect(await t.engine.list({ definitionId: 'child' }, 5)).toHaveLength(2)
    await healthy(t)
  })

  it('takes the end of a child back that its paused parent has not read', async () => {
    const { broken, toy } = toys()
    broken.add('b')
    await using t = await openTestEngine({ activities: [toy] })
    await t.publish(
      chain('child', [
        { id: 'ask', type: 'wait-for-event', inputs: { event: 'child-go' } },
        { id: 'b', type: 'toy' },
      ]),
    )
    await t.publish(chain('parent', [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'child' } }]))
    const { instanceId } = await t.engine.start({ definitionId: 'parent' })
    let child = ''
    await until(async () => {
      child = (await t.engine.list({ definitionId: 'child', status: 'suspended' }, 1))[0]?.id ?? ''
      return child !== ''
    })
    await t.rests(instanceId, 'suspended')
    await t.engine.verbs.pause(instanceId)
    await t.rests(instanceId, 'paused')
    await t.engine.publish({ name: 'child-go' })
    expect(await ended(t, child)).toMatchObject({ status: 'faulted' })
    broken.clear()
    // While a node has the parent in its hands nobody knows what it has read.
    await expect.poll(() => t.engine.verbs.retry(child)).toEqual({ outcome: 'accepted' })
    expect(await ended(t, child)).toMatchObject({ status: 'completed' })
    await t.engine.verbs.continue(instanceId)
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    await healthy(t)
  })

  it('goes on as the version in which the cause is mended', async () => {
    const { broken, toy } = toys()
    broken.add('b')
    await using t = await openTestEngine({ activities: [toy] })
    const steps = (last: string) => [
      { id: 'a', type: 'toy' },
      { id: last, type: 'toy' },
    ]
    await t.publish(chain('g', steps('b')))
    const { instanceId } = await t.run('g')
    await t.engine.definitions.saveDraft('default', 'g', chain('g', steps('better')), undefined)
    await t.engine.definitions.publish('default', 'g')
    expect(await t.engine.verbs.retry(instanceId, { version: 2 })).toMatchObject({
      outcome: 'incompatible',
      problems: [{ code: 'NO_COUNTERPART', at: 'b' }],
    })
    expect((await t.engine.get(instanceId)).status).toBe('faulted')
    expect(await t.engine.verbs.retry(instanceId, { version: 2, mapping: { b: 'better' } })).toEqual({
      outcome: 'accepted',
    })
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    expect((await t.engine.get(instanceId)).version).toBe(2)
    expect(await facts(t.engine, instanceId)).toEqual([
      ...['started', 'completed a', 'failed b', 'ended', 'migrated', 'retried', 'completed better', 'ended'],
    ])
    await healthy(t)
  })
})

describe('fork', () => {
  it('begins a copy at a position, with other input and variables, and leaves the original alone', async () => {
    const { keys, toy } = toys()
    await using t = await openTestEngine({ activities: [toy] })
    await t.publish(
      chain(
        'g',
        [
          { id: 'a', type: 'toy', inputs: { value: { $expr: 'input.n' } } },
          { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
          {
            id: 'out',
            type: 'set-output',
            inputs: { name: 'seen', value: { $expr: '[input.n, vars.who, steps.a.output]' } },
          },
        ],
        {
          input: { type: 'object', properties: { n: { type: 'number' } } },
          variables: { who: { type: 'string', default: 'me' } },
        },
      ),
    )
    const { instanceId } = await t.engine.start({ definitionId: 'g', input: { n: 1 }, correlationId: 'c1' })
    await t.rests(instanceId, 'suspended')
    const before = await t.engine.journal(instanceId)
    const options = { input: { n: 2 }, variables: { who: 'you' }, correlationId: 'c2', dedupeKey: 'once' }
    const forked = await t.engine.verbs.fork(instanceId, options)
    expect(forked).toMatchObject({ outcome: 'forked', at: before.length })
    const copy = (forked as { instanceId: string }).instanceId
    expect(await t.engine.verbs.fork(instanceId, options)).toEqual({ outcome: 'already-forked', instanceId: copy })
    await until(async () => (await t.engine.get(copy)).waitingFor.length === 1)
    expect(await t.engine.resume({ instanceId: copy, bookmark: 'go' })).toBe('resumed')
    expect(await ended(t, copy)).toMatchObject({ output: { seen: [2, 'you', 1] } })
    expect((await t.engine.journal(copy))[before.length]).toMatchObject({
      kind: 'forked',
      data: { from: instanceId, at: before.length, variables: { who: 'you' } },
    })
    expect(await t.engine.journal(instanceId)).toEqual(before)
    expect((await t.engine.get(instanceId)).status).toBe('suspended')
    expect(keys).toEqual(['a'])

    const early = await t.engine.verbs.fork(instanceId, { at: 1 })
    await until(() => keys.length === 2)
    expect(keys).toEqual(['a', 'a'])
    await t.engine.verbs.terminate((early as { instanceId: string }).instanceId)
    await expect(t.engine.verbs.fork(instanceId, { at: 0 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(t.engine.verbs.fork(instanceId, { input: { n: 'x' } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    await expect(t.engine.verbs.fork(instanceId, { variables: { nobody: 1 } })).rejects.toMatchObject({
      message: expect.stringContaining('variables.nobody'),
    })
    expect(await t.engine.verbs.fork(instanceId, { at: 99 })).toEqual({ outcome: 'not-found' })
    expect(await t.engine.verbs.fork(copy)).toMatchObject({ outcome: 'nothing-to-do', status: 'completed' })
    await healthy(t)
  })

  it('does again in its own name what failed, and starts children of its own', async () => {
    const { broken, keys, toy } = toys()
    broken.add('b')
    await using t = await openTestEngine({ activities: [toy] })
    await t.publish(chain('g', [{ id: 'b', type: 'toy' }]))
    await t.publish(waits('leaf'))
    await t.publish(chain('p', [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'leaf' } }]))
    const { instanceId } = await t.run('g')
    broken.clear()
    const copy = await t.engine.verbs.fork(instanceId)
    expect(await ended(t, (copy as { instanceId: string }).instanceId)).toMatchObject({ status: 'completed' })
    expect(keys).toEqual(['b', 'b'])
    expect((await t.engine.get(instanceId)).status).toBe('faulted')

    const { instanceId: parent } = await t.engine.start({ definitionId: 'p' })
    await until(async () => (await t.engine.list({ definitionId: 'leaf', status: 'suspended' }, 5)).length === 1)
    await t.rests(parent, 'suspended')
    const second = (await t.engine.verbs.fork(parent)) as { instanceId: string }
    await until(async () => (await t.engine.list({ definitionId: 'leaf', status: 'suspended' }, 5)).length === 2)
    await t.engine.publish({ name: 'leaf-go' })
    for (const id of [parent, second.instanceId]) expect(await ended(t, id)).toMatchObject({ status: 'completed' })
    await healthy(t)
  })

  it('copies functions too', async () => {
    const { keys, run } = toys()
    const program = workflow('f', async (ctx, input: { n: number }) => {
      await ctx.step('a', ({ idempotencyKey }) => run('a', idempotencyKey))
      await ctx.waitFor('go')
      await ctx.step('b', ({ idempotencyKey }) => run('b', idempotencyKey))
      return input.n
    })
    await using t = await openTestEngine({ workflows: [program] })
    const { instanceId } = await t.engine.start({ definitionId: 'f', input: { n: 1 } })
    await t.rests(instanceId, 'suspended')
    const forked = (await t.engine.verbs.fork(instanceId, { input: { n: 7 } })) as { instanceId: string }
    // An event is for those who wait for it: the copy, too, has to.
    await until(async () => (await t.engine.get(forked.instanceId)).waitingFor.length === 1)
    await t.engine.publish({ name: 'go' })
    expect(await ended(t, instanceId)).toMatchObject({ output: 1 })
    expect(await ended(t, forked.instanceId)).toMatchObject({ output: 7 })
    expect(keys).toEqual(['a', 'b', 'b'])
    await healthy(t)
  })
})
