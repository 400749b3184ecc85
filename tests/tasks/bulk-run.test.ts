import type { EffectActivity } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { readRows } from '../faults/read-rows.ts'

let isBroken = false
const breaks: EffectActivity = {
  ...{ type: 'breaks', kind: 'action', title: 'Breaks', description: 'For tests.', outcomes: ['done'] },
  ...{ inputs: { type: 'object' }, runs: 'effect' },
  run: async () => {
    if (isBroken) throw new Error('it is broken')
    return { kind: 'completed', outcome: 'done', output: null }
  },
}

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine({ activities: [breaks] })
  await test.publish({
    id: 'child',
    activities: [
      { id: 'bad', type: 'if', inputs: { condition: { $expr: 'input.fail === true' } } },
      { id: 'stop', type: 'fault', inputs: { message: 'told to', code: 'TOLD' } },
      { id: 'slow', type: 'if', inputs: { condition: { $expr: 'input.wait === true' } } },
      { id: 'wait', type: 'wait-for-event', inputs: { event: 'never' } },
      { id: 'out', type: 'set-output', inputs: { name: 'double', value: { $expr: 'input.n * 2' } } },
    ],
    connections: [
      { from: 'bad', outcome: 'true', to: 'stop' },
      { from: 'bad', outcome: 'false', to: 'slow' },
      { from: 'slow', outcome: 'true', to: 'wait' },
      { from: 'slow', outcome: 'false', to: 'out' },
    ],
  } as never)
})
afterAll(() => test?.[Symbol.asyncDispose]())

let number = 0
async function parent(inputs: object, outcomes: readonly string[] = ['done', 'some-failed']): Promise<string> {
  const id = `bulk-${++number}`
  await test.publish({
    id,
    activities: [
      { id: 'all', type: 'bulk-run', inputs: { definitionId: 'child', items: { $expr: 'input.items' }, ...inputs } },
      ...outcomes.map((outcome) => ({
        id: `by-${outcome}`,
        type: 'set-output',
        inputs: { name: outcome, value: { $expr: 'steps.all.output' } },
      })),
    ],
    connections: outcomes.map((outcome) => ({ from: 'all', outcome, to: `by-${outcome}` })),
  } as never)
  return id
}

const children = (instanceId: string) =>
  readRows<{ id: string; status: string }>(
    test.db,
    'select id, dedupe_key, status from instance where parent_id = $1 order by id',
    [instanceId],
  )

describe('bulk-run', () => {
  it('hears of children that ended while it had failed, or in what was taken back', async () => {
    await test.publish({
      id: 'late-bulk',
      activities: [
        {
          ...{ id: 'all', type: 'bulk-run' },
          inputs: { definitionId: 'child', items: [1, 2, 3].map((n) => ({ n, wait: true })), concurrency: 1 },
        },
        { id: 'gate', type: 'wait-for-event', inputs: { event: 'late-bulk' } },
        { id: 'step', type: 'breaks' },
        { id: 'last', type: 'wait-for-event', inputs: { event: 'late-last' } },
        { id: 'again', type: 'breaks' },
      ],
      connections: [
        { from: 'gate', to: 'step' },
        { from: 'step', to: 'last' },
        { from: 'last', to: 'again' },
      ],
    } as never)
    const { instanceId } = await test.engine.start({ definitionId: 'late-bulk' })
    const go = (id: string, bookmark: string) =>
      expect.poll(() => test.engine.resume({ instanceId: id, bookmark })).toBe('resumed')
    const endChild = async (index: number): Promise<void> => {
      await expect.poll(async () => (await children(instanceId))[index]?.status).toBe('suspended')
      const { id } = (await children(instanceId))[index]!
      await go(id, 'never')
      await test.engine.waitForEnd(id, { limitMs: 60_000 })
    }
    const faulted = () => expect.poll(() => test.engine.get(instanceId)).toMatchObject({ status: 'faulted' })
    isBroken = true
    await go(instanceId, 'late-bulk')
    await faulted()
    await endChild(0)
    isBroken = false
    await test.engine.verbs.retry(instanceId)
    await endChild(1)
    isBroken = true
    await go(instanceId, 'late-last')
    await faulted()
    // Back to a moment at which no child had ended: two have since.
    isBroken = false
    expect(await test.engine.verbs.retry(instanceId, { step: 'step' })).toEqual({ outcome: 'accepted' })
    await endChild(2)
    await go(instanceId, 'late-last')
    await expect.poll(() => test.engine.get(instanceId)).toMatchObject({ status: 'completed' })
    expect(await children(instanceId)).toHaveLength(3)
  })

  it('that is through in the moment in which a step beside it fails is concluded by the retry', async () => {
    await test.publish({
      id: 'beside-bulk',
      activities: [
        { id: 'all', type: 'bulk-run', inputs: { definitionId: 'child', items: [{ wait: true, n: 1 }] } },
        { id: 'out', type: 'set-output', inputs: { name: 'all', value: { $expr: 'steps.all.output.completed' } } },
        { id: 'gate', type: 'wait-for-event', inputs: { event: 'beside-bulk' } },
        { id: 'step', type: 'breaks' },
      ],
      connections: [
        { from: 'all', to: 'out' },
        { from: 'gate', to: 'step' },
      ],
    } as never)
    isBroken = true
    const { instanceId } = await test.engine.start({ definitionId: 'beside-bulk' })
    await expect.poll(() => children(instanceId)).toMatchObject([{ status: 'suspended' }])
    await test.rests(instanceId, 'suspended')
    await test.engine.verbs.pause(instanceId)
    await test.rests(instanceId, 'paused')
    // Both are told to it at once when it goes on: the step fails while what the children gave is read.
    const [child] = await children(instanceId)
    expect(await test.engine.resume({ instanceId: child!.id, bookmark: 'never' })).toBe('resumed')
    await test.engine.waitForEnd(child!.id, { limitMs: 60_000 })
    expect(await test.engine.resume({ instanceId, bookmark: 'beside-bulk' })).toBe('resumed')
    await test.engine.verbs.continue(instanceId)
    expect(await test.engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ status: 'faulted' })
    isBroken = false
    await test.engine.verbs.retry(instanceId)
    await expect.poll(() => test.engine.get(instanceId)).toMatchObject({ status: 'completed', output: { all: 1 } })
  })

  it('runs a child per item, a few at a time, and gathers what they gave in order', async () => {
    const id = await parent({ concurrency: 3 })
    const items = Array.from({ length: 25 }, (_, n) => ({ n }))
    const { output, status, instanceId } = await test.run(id, { items })
    expect(status).toBe('completed')
    const { done } = output as { done: { results: { index: number; instanceId: string; output: unknown }[] } }
    expect(done).toMatchObject({ total: 25, completed: 25, faulted: 0, cancelled: 0 })
    expect(done.results.map((result) => result.output)).toEqual(items.map(({ n }) => ({ double: n * 2 })))
    expect((await children(instanceId)).map((child) => child.id).sort()).toEqual(
      done.results.map((each) => each.instanceId).sort(),
    )
  })

  it('ends at once without items', async () => {
    const { output } = await test.run(await parent({}), { items: [] })
    expect(output).toEqual({ done: { total: 0, completed: 0, faulted: 0, cancelled: 0, results: [] } })
  })

  it('leaves through some-failed, and says of each child how it ended', async () => {
    const items = [{ n: 1 }, { fail: true }, { n: 3 }]
    const { output } = await test.run(await parent({}), { items })
    expect(output).toMatchObject({
      'some-failed': {
        ...{ total: 3, completed: 2, faulted: 1, cancelled: 0 },
        results: [
          { index: 0, status: 'completed', output: { double: 2 } },
          { index: 1, status: 'faulted', error: { code: 'TOLD', message: 'told to' } },
          { index: 2, status: 'completed' },
        ],
      },
    })
  })

  it('names only the failed ones, or none, when asked to', async () => {
    const items = [{ n: 1 }, { fail: true }]
    const failed = await test.run(await parent({ collect: 'failed' }), { items })
    expect(failed.output).toMatchObject({ 'some-failed': { completed: 1, results: [{ index: 1 }] } })
    const none = await test.run(await parent({ collect: 'none' }), { items })
    expect(none.output).toMatchObject({ 'some-failed': { completed: 1, faulted: 1, results: [] } })
  })

  it('fails where some-failed is not connected', async () => {
    const { status, error } = await test.run(await parent({}, ['done']), { items: [{ fail: true }, { n: 1 }] })
    expect([status, error]).toMatchObject(['faulted', { code: 'CHILDREN_FAILED', data: { total: 2, faulted: 1 } }])
  })

  it('cancels the others and starts no more when the first failure is to end it', async () => {
    const id = await parent({ concurrency: 3, onChildFailure: 'fail-fast' })
    const items = [{ wait: true }, { fail: true }, { wait: true }, ...Array.from({ length: 20 }, (_, n) => ({ n }))]
    const { output, instanceId } = await test.run(id, { items })
    const { 'some-failed': end } = output as { 'some-failed': { results: { status: string }[] } }
    expect(end).toMatchObject({ total: 23, completed: 0, faulted: 1, cancelled: 22 })
    expect(end.results.slice(0, 4).map((each) => each.status)).toEqual([
      'cancelled',
      'faulted',
      'cancelled',
      'not-started',
    ])
    expect(await children(instanceId)).toHaveLength(3)
  })

  it('counts a child that cannot be started as failed, and the others go on', async () => {
    await test.publish({
      id: 'picky',
      input: { type: 'object', required: ['n'] },
      activities: [{ id: 'a', type: 'log', inputs: { message: 'm', level: 'debug' } }],
    } as never)
    const { output } = await test.run(await parent({ definitionId: 'picky' }), { items: [{ n: 1 }, {}, { n: 2 }] })
    expect(output).toMatchObject({
      'some-failed': {
        completed: 2,
        faulted: 1,
        results: [{}, { instanceId: null, error: { code: 'INPUT_INVALID' } }, {}],
      },
    })
    const unknown = await test.run(await parent({ definitionId: 'nobody' }), { items: [1, 2] })
    expect(unknown.output).toMatchObject({
      'some-failed': { faulted: 2, results: [{ error: { code: 'DEFINITION_NOT_FOUND' } }, {}] },
    })
  })

  it('refuses a million children and a concurrency of none', async () => {
    const problems = test.engine.definitions.problems({
      id: 'x',
      activities: [{ id: 'a', type: 'bulk-run', inputs: { definitionId: 'child', items: [], concurrency: 0 } }],
    } as never)
    expect(problems).toMatchObject([{ pointer: '/activities/0/inputs/concurrency' }])
  })
})
