import { expect, it } from 'vitest'
import { type Bench, COMPLETED, checkpoint, event, TENANT } from './fixture.ts'

const onEvent = (id: string, inputs: object) => ({ id, type: 'event', inputs })
const endpoint = (id: string, path: string, methods?: readonly string[]) => ({
  id,
  type: 'http-endpoint',
  inputs: { path, ...(methods === undefined ? {} : { methods }) },
})

export function triggerExamples(open: () => Promise<Bench>): void {
  async function opened() {
    const bench = await open()
    const { definitions, triggers, stimuli } = bench.store
    const publish = async (id: string, ...activities: readonly object[]) => {
      const document = JSON.stringify({ id, activities })
      const created = await definitions.create(TENANT, id, document)
      const saved = created.kind === 'exists' ? await definitions.saveDraft(TENANT, id, document, undefined) : created
      await definitions.publish(TENANT, id, document, 'revision' in saved ? saved.revision : 0)
    }
    const happened = async (extra: object = {}) => {
      const row = event(bench.newId(), extra)
      await stimuli.publish(row, 10)
      return row.id
    }
    const starts = async (id: string) =>
      (await triggers.pendingStarts([id], 0, 10)).map((each) => `${each.definitionId}/${each.activity}`)
    return { ...bench, triggers, publish, happened, starts, stimuli, definitions }
  }

  it('names the published graphs that an event starts, with the version that asks for it', async () => {
    const { publish, happened, triggers, starts } = await opened()
    await publish('a', onEvent('on', { event: 'paid', filter: { $expr: 'input.n > 0' } }))
    await publish('b', onEvent('x', { event: 'other' }), onEvent('y', { event: 'paid' }))
    const id = await happened({ correlationId: 'o1' })
    expect(await triggers.pendingStarts([id], 0, 10)).toMatchObject([
      { eventId: id, definitionId: 'a', activity: 'on', version: 1, filter: 'input.n > 0', correlationId: 'o1' },
      { eventId: id, definitionId: 'b', activity: 'y', version: 1, filter: undefined, payload: { n: 1 } },
    ])
    await triggers.started([id])
    expect(await starts(id)).toEqual([])
  })

  it('starts nothing for another correlation id, or a graph that was retracted', async () => {
    const { publish, happened, starts, definitions } = await opened()
    await publish('a', onEvent('on', { event: 'paid', correlation: 'o1' }))
    await publish('b', onEvent('on', { event: 'paid' }))
    expect(await starts(await happened({ correlationId: 'o2' }))).toEqual(['b/on'])
    expect(await starts(await happened({ correlationId: 'o1' }))).toEqual(['a/on', 'b/on'])
    await definitions.point(TENANT, 'b', undefined)
    expect(await starts(await happened())).toEqual([])
  })

  it('keeps an event open until its starts were reported, and lets others find it', async () => {
    const { publish, happened, triggers, stimuli } = await opened()
    await publish('a', onEvent('on', { event: 'paid' }))
    const id = await happened()
    const settled = async () => {
      let count = 0
      for (let round = 0; round < 3; round += 1) count += (await stimuli.settle(10)).settled
      return count
    }
    expect(await settled()).toBe(0)
    expect((await triggers.pendingStarts(undefined, 0, 10)).map((each) => each.eventId)).toEqual([id])
    expect(await triggers.pendingStarts(undefined, 60_000, 10)).toEqual([])
    await triggers.started([id])
    expect(await triggers.pendingStarts(undefined, 0, 10)).toEqual([])
    expect(await settled()).toBe(1)
  })

  it('does not lose an event to a new version that still asks for it', async () => {
    const { publish, happened, triggers, starts } = await opened()
    await publish('a', onEvent('on', { event: 'paid' }))
    const id = await happened()
    await publish('a', onEvent('on', { event: 'paid' }), onEvent('too', { event: 'other' }))
    expect(await starts(id)).toEqual(['a/on'])
    expect(await triggers.pendingStarts([id], 0, 10)).toMatchObject([{ version: 2 }])
  })

  it('finds the endpoint of a path, literal segments first', async () => {
    const { publish, triggers } = await opened()
    await publish('a', endpoint('one', '/orders/{id}', ['GET', 'PUT']), endpoint('new', 'orders/new/', ['GET']))
    await publish('b', endpoint('root', '/'), endpoint('deep', '/orders/{id}/lines/{n}'))
    const find = async (method: string, ...segments: readonly string[]) => {
      const { endpoint: found, methods } = await triggers.endpoint(TENANT, method, segments)
      return found === undefined ? methods : `${found.definitionId}/${found.activity}`
    }
    expect(await find('GET', 'orders', '7')).toBe('a/one')
    expect(await find('GET', 'orders', 'new')).toBe('a/new')
    expect(await find('PUT', 'orders', 'new')).toBe('a/one')
    expect(await find('POST')).toBe('b/root')
    expect(await find('POST', 'orders', '7', 'lines', '2')).toBe('b/deep')
    expect(await find('DELETE', 'orders', '7')).toEqual(['GET', 'PUT'])
    expect(await find('GET', 'orders')).toEqual([])
    expect(await triggers.endpoint('other', 'GET', ['orders', '7'])).toEqual({ endpoint: undefined, methods: [] })
  })

  it('knows which paths belong to others, and lists them all', async () => {
    const { publish, triggers, definitions } = await opened()
    await publish('a', endpoint('one', '/orders/{id}', ['GET']))
    const key = { method: 'GET', shape: '/orders/{}' }
    expect(await triggers.taken(TENANT, 'b', [key, { method: 'PUT', shape: '/orders/{}' }])).toEqual([
      { ...key, definitionId: 'a' },
    ])
    expect(await triggers.taken(TENANT, 'a', [key])).toEqual([])
    await publish('b', endpoint('two', '/b'), endpoint('three', '/a'))
    const shapes = async (after?: typeof key) =>
      (await triggers.endpoints(TENANT, after, 10)).map(({ method, shape }) => `${method} ${shape}`)
    expect(await shapes()).toEqual(['POST /a', 'POST /b', 'GET /orders/{}'])
    expect(await shapes({ method: 'POST', shape: '/b' })).toEqual(['GET /orders/{}'])
    await definitions.point(TENANT, 'a', undefined)
    expect(await shapes()).toEqual(['POST /a', 'POST /b'])
  })

  it('finds the first answer in the journal of an instance, and its end', async () => {
    const { triggers, joined, started, newId } = await opened()
    const node = await joined()
    const id = await started(node)
    expect(await triggers.answer(TENANT, newId(), 0)).toBeUndefined()
    expect(await triggers.answer(TENANT, id, 0)).toMatchObject({ seq: 1, ended: false })
    const answers = (status: number) => ({
      kind: 'completed',
      data: JSON.stringify({ step: 'r', output: { status }, answers: true }),
    })
    await node.checkpoint(checkpoint(id, { facts: [answers(201), answers(500)] }))
    expect(await triggers.answer(TENANT, id, 0)).toMatchObject({ answer: { status: 201 }, seq: 3, ended: false })
    expect((await triggers.answer(TENANT, id, 3))?.answer ?? undefined).toBeUndefined()
    await node.checkpoint(checkpoint(id, { seq: 4, then: COMPLETED }))
    expect(await triggers.answer(TENANT, id, 3)).toMatchObject({ seq: 4, ended: true, status: 'completed' })
    expect(await triggers.answer('other', id, 0)).toBeUndefined()
  })
}
