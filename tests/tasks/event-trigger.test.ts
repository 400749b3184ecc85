import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { postgresEngineStore } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { readRows } from '../faults/read-rows.ts'

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine()
})
afterAll(() => test?.[Symbol.asyncDispose]())

const out = { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: '[input, correlationId]' } } }
const on = (event: string, more: object = {}) => ({ id: 'on', type: 'event', inputs: { event, ...more } })
const publish = (id: string, ...triggers: readonly { readonly id: string }[]) =>
  test.publish({
    id,
    activities: [...triggers, out],
    connections: triggers.map((trigger) => ({ from: trigger.id, to: 'out' })),
  } as never)

async function instances(definitionId: string) {
  const found = await test.engine.list({ definitionId }, 100)
  return Promise.all(found.map(async ({ id }) => ({ id, ...(await test.engine.waitForEnd(id, { limitMs: 10_000 })) })))
}

describe('event trigger', () => {
  it('starts every workflow that asks for the event, once, with the payload as input', async () => {
    await publish('first', on('paid'))
    await publish('second', on('paid'))
    await publish('third', on('shipped'))
    const published = await test.engine.publish({ name: 'paid', correlationId: 'o1', payload: { n: 7 } })
    expect(published).toMatchObject({ started: 2, matched: 0 })
    for (const id of ['first', 'second'])
      expect(await instances(id)).toMatchObject([{ status: 'completed', output: { got: [{ n: 7 }, 'o1'] } }])
    expect(await instances('third')).toEqual([])
    const [first] = await instances('first')
    expect((await test.engine.journal(first!.id))[0]?.data).toMatchObject({ trigger: 'on', correlationId: 'o1' })
  })

  it('starts one instance however many triggers of a workflow fit, by the first that does', async () => {
    await publish(
      'choosy',
      { ...on('priced', { filter: { $expr: 'input.amount > 100' } }), id: 'large' },
      { ...on('priced', { filter: { $expr: 'input.amount > 10' } }), id: 'medium' },
      { ...on('priced', { correlation: 'vip' }), id: 'vip' },
    )
    const triggers = async (payload: object, correlationId?: string) => {
      const before = new Set((await instances('choosy')).map((each) => each.id))
      const { started } = await test.engine.publish({
        name: 'priced',
        payload,
        ...(correlationId ? { correlationId } : {}),
      })
      const born = (await instances('choosy')).filter((each) => !before.has(each.id))
      expect(born).toHaveLength(started)
      return Promise.all(
        born.map(async ({ id }) => ((await test.engine.journal(id))[0]!.data as { trigger: string }).trigger),
      )
    }
    expect(await triggers({ amount: 500 })).toEqual(['large'])
    expect(await triggers({ amount: 50 })).toEqual(['medium'])
    expect(await triggers({ amount: 5 })).toEqual([])
    expect(await triggers({ amount: 5 }, 'vip')).toEqual(['vip'])
  })

  it('does not start retracted or changed workflows, nor those that were published after the event', async () => {
    await test.engine.publish({ name: 'moved', payload: 1 })
    await publish('mover', on('moved'))
    expect(await instances('mover')).toEqual([])
    expect((await test.engine.publish({ name: 'moved' })).started).toBe(1)
    await test.engine.definitions.retract('default', 'mover')
    expect((await test.engine.publish({ name: 'moved' })).started).toBe(0)
    await test.engine.definitions.republish('default', 'mover', 1)
    expect((await test.engine.publish({ name: 'moved' })).started).toBe(1)
    const changed = { id: 'mover', activities: [on('left'), out], connections: [{ from: 'on', to: 'out' }] }
    await test.engine.definitions.saveDraft('default', 'mover', changed as never, undefined)
    await test.engine.definitions.publish('default', 'mover')
    expect((await test.engine.publish({ name: 'moved' })).started).toBe(0)
    expect((await test.engine.publish({ name: 'left' })).started).toBe(1)
    expect(await instances('mover')).toHaveLength(3)
  })

  it('also hears what workflows publish', async () => {
    await publish('listener', on('said'))
    await test.publish({
      id: 'speaker',
      activities: [{ id: 'say', type: 'publish-event', inputs: { event: 'said', payload: 'hello' } }],
    } as never)
    await test.run('speaker')
    await expect
      .poll(async () => (await instances('listener')).map((each) => each.output))
      .toEqual([{ got: ['hello', null] }])
  })

  it('goes on when a filter throws, or the payload does not fit the input', async () => {
    await publish('throws', on('odd', { filter: { $expr: 'input.a.b.c' } }))
    await test.publish({ id: 'strict', input: { type: 'number' }, activities: [on('odd')] } as never)
    await publish('calm', on('odd'))
    expect((await test.engine.publish({ name: 'odd', payload: 'text' })).started).toBe(1)
    expect(await instances('calm')).toHaveLength(1)
    const open = () => readRows(test.db, "select id from event where name = 'odd' and not settled")
    await expect.poll(open).toEqual([])
  })

  it('starts what a node that died between publishing and starting has left, once', async () => {
    await publish('left-behind', on('lost'))
    // What a node leaves that dies right after the commit of the event.
    const store = postgresEngineStore(test.db)
    const id = '01900000-0000-7000-8000-00000000abcd'
    await store.stimuli.publish(
      { tenant: 'default', id, name: 'lost', correlationId: undefined, payload: '{"n":1}', ttlMs: 60_000 },
      10,
    )
    await using second = await otherEngine()
    await expect.poll(async () => (await instances('left-behind')).length, { timeout: 20_000, interval: 200 }).toBe(1)
    expect(await instances('left-behind')).toMatchObject([{ output: { got: [{ n: 1 }, null] } }])
    expect(await store.triggers.pendingStarts([id], 0, 10)).toEqual([])
    expect(second.engine.nodeId).not.toBe(test.engine.nodeId)
  })

  it('says what is wrong with a trigger before it is published', () => {
    const problems = (...activities: readonly object[]) =>
      test.engine.definitions
        .problems({ id: 'x', activities } as never)
        .map(({ pointer, code }) => `${code} ${pointer}`)
    expect(problems(on('a'))).toEqual([])
    expect(problems(on('a', { filter: true }))).toEqual(['INVALID_INPUT /activities/0/inputs/filter'])
    expect(problems({ id: 'on', type: 'event', inputs: {} })).toEqual(['MISSING_INPUT /activities/0/inputs'])
    expect(problems(on({ $expr: 'input' } as never))).toEqual(['INVALID_INPUT /activities/0/inputs/event'])
  })
})

async function otherEngine() {
  const engine = await Engine.open({ store: postgresEngineStore(test.db), clock, random })
  return { engine, [Symbol.asyncDispose]: () => engine.close(1_000) }
}
