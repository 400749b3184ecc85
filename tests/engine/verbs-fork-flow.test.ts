/** A fork is a start of its workflow and passes the same gate. What comes through is measured by those who are inside at once. */
import { workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openEmbeddedEngine, openTestEngine, type TestEngine } from './open-test-engine.ts'
import { ended, healthy, until } from './verbs-fixture.ts'

interface Input {
  readonly key: string
}

/** Instances wait inside until they are let out. */
function door(flow: object) {
  const inside = new Map<string, Set<string>>()
  const out = new Map<string, () => void>()
  const seen: string[] = []
  let most = 0
  const order = workflow(
    'order',
    (ctx, { key }: Input) =>
      ctx.step('work', async () => {
        const those = inside.get(key) ?? new Set()
        inside.set(key, those.add(ctx.instanceId))
        seen.push(ctx.instanceId)
        most = Math.max(most, those.size)
        await new Promise<void>((resolve) => out.set(ctx.instanceId, resolve))
        those.delete(ctx.instanceId)
      }),
    { flow: flow as never },
  )
  const leave = async (id: string): Promise<void> => {
    await until(() => out.has(id))
    out.get(id)!()
  }
  return { order, seen, leave, most: () => most }
}

const key = { $expr: 'input.key' }
const begin = async (t: TestEngine, by: string): Promise<string> =>
  (await t.engine.start({ definitionId: 'order', input: { key: by } })).instanceId
const fork = async (t: TestEngine, id: string, more: object = {}) => {
  const answer = await t.engine.verbs.fork(id, { at: 1, ...more })
  if (!('instanceId' in answer)) throw new Error(answer.outcome)
  return answer
}

/** Forks of a living instance, and one that has a key of its own. */
async function takeTurns(open: typeof openTestEngine, kind: string, flow: object): Promise<void> {
  const { order, seen, leave, most } = door(flow)
  await using t = await open({ workflows: [order] })
  const original = await begin(t, 'ann')
  await until(() => seen.length === 1)
  const first = await fork(t, original)
  const second = await fork(t, original)
  const other = await fork(t, original, { input: { key: 'bob' } })
  expect([first.outcome, second.outcome, other.outcome]).toEqual(['forked', 'forked', 'forked'])
  expect((await t.engine.get(first.instanceId)).status).toBe('queued')
  expect((await t.engine.why(second.instanceId)).blockers).toMatchObject([{ kind }])
  await until(() => seen.includes(other.instanceId))
  expect(await t.engine.flow.get('order')).toMatchObject({ alive: 2, waiting: 2 })
  for (const id of [other.instanceId, original, first.instanceId, second.instanceId]) {
    await leave(id)
    expect(await ended(t, id)).toMatchObject({ status: 'completed' })
  }
  expect({ seen, most: most() }).toEqual({
    seen: [original, other.instanceId, first.instanceId, second.instanceId],
    most: 1,
  })
  expect(await t.engine.flow.get('order')).toMatchObject({ alive: 0, waiting: 0 })
  await healthy(t)
}

describe('a fork under a flow policy', () => {
  it.each([
    ['flow-concurrency', { concurrency: { limit: 1, key } }],
    ['flow-singleton', { singleton: { onBusy: 'queue', key } }],
    ['flow-singleton', { singleton: { onBusy: 'attach', key } }],
  ] as const)('waits for its turn, and why says for what: %s', (kind, flow) => takeTurns(openTestEngine, kind, flow))

  it('does so on the embedded store', () =>
    takeTurns(openEmbeddedEngine, 'flow-concurrency', { concurrency: { limit: 1, key } }))

  it('counts against the rate', async () => {
    const { order, seen, leave } = door({ rate: { limit: 1, per: '1h', key } })
    await using t = await openTestEngine({ workflows: [order] })
    const original = await begin(t, 'ann')
    await leave(original)
    await ended(t, original)
    const { instanceId } = await fork(t, original)
    expect((await t.engine.why(instanceId)).blockers).toMatchObject([{ kind: 'flow-rate' }])
    expect(seen).toEqual([original])
    await t.engine.flow.set('order', { rate: { limit: 2, per: '1h', key } })
    await leave(instanceId)
    expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    expect(seen).toEqual([original, instanceId])
  })

  it.each([
    ['singleton', { singleton: { key } }],
    ['throttle', { throttle: { limit: 1, per: '1h', key } }],
  ] as const)('is refused where a start is, without having run anything: %s', async (_name, flow) => {
    const { order, seen, leave } = door(flow)
    await using t = await openTestEngine({ workflows: [order] })
    const original = await begin(t, 'ann')
    await until(() => seen.length === 1)
    const { outcome, instanceId } = await fork(t, original)
    expect(outcome).toBe('refused')
    expect(await ended(t, instanceId)).toMatchObject({ status: 'cancelled' })
    await leave(original)
    await ended(t, original)
    expect(seen).toEqual([original])
    await healthy(t)
  })

  it('can be cancelled while it waits, and lets the next one in', async () => {
    const { order, seen, leave } = door({ concurrency: { limit: 1, key } })
    await using t = await openTestEngine({ workflows: [order] })
    const original = await begin(t, 'ann')
    await until(() => seen.length === 1)
    const first = await fork(t, original)
    const second = await fork(t, original)
    await t.engine.cancel(first.instanceId)
    expect(await ended(t, first.instanceId)).toMatchObject({ status: 'cancelled' })
    for (const id of [original, second.instanceId]) await leave(id)
    expect(await ended(t, second.instanceId)).toMatchObject({ status: 'completed' })
    expect(seen).toEqual([original, second.instanceId])
  })
})

it('never lets more in than the limit, whichever node forks and starts', async () => {
  const { order, seen, leave, most } = door({ concurrency: { limit: 1, key } })
  await using t = await openTestEngine({ workflows: [order] })
  await using other = await t.beside({ workflows: [order] })
  const original = await begin(t, 'ann')
  await leave(original)
  await ended(t, original)
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, n) =>
      n % 3 === 0 ? begin(n % 2 ? t : other, 'ann') : (await fork(n % 2 ? t : other, original)).instanceId,
    ),
  )
  for (let n = 1; n <= ids.length; n += 1) {
    await until(() => seen.length > n)
    await leave(seen[n]!)
  }
  for (const id of ids) expect(await ended(t, id)).toMatchObject({ status: 'completed' })
  expect({ most: most(), seen: seen.length }).toEqual({ most: 1, seen: 13 })
  await healthy(t)
})
