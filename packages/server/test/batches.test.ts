import { postgresEngineStore } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
  for (const document of [approval('approval'), approval('other'), sums('sums')])
    expect((await api.call('PUT', `/workflow-definitions/${document.id}`, { body: document })).status).toBe(201)
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const B = '/batch-operations'
const start = async (definitionId: string, input: unknown = {}): Promise<string> =>
  (await api.call('POST', '/workflow-instances', { body: { definitionId, input, wait: '0s' } })).body.id
const rests = (id: string, status: string) =>
  expect.poll(async () => (await api.call('GET', `/workflow-instances/${id}`)).body.status).toBe(status)
const waiting = async (definitionId: string, input?: unknown): Promise<string> => {
  const id = await start(definitionId, input)
  await rests(id, 'suspended')
  return id
}
const dryRun = async (target: object, action = 'pause') =>
  (await api.call('POST', B, { body: { action, target, dryRun: true } })).body
const run = async (target: object, more: object = {}): Promise<{ readonly items: string[]; readonly note: string }> => {
  const { status, body } = await api.call('POST', B, { body: { action: 'pause', target, ...more } })
  expect(status).toBe(202)
  await expect.poll(async () => (await api.call('GET', `${B}/${body.id}`)).body.state).toBe('done')
  const { items } = (await api.call('GET', `${B}/${body.id}/items`)).body
  return { items: items.map((each: { instanceId: string }) => each.instanceId), note: body.note }
}

describe('a batch', () => {
  it('takes the filters of lists: inputs, parents, ends, several workflows', async () => {
    const [one, two] = [
      await waiting('approval', { customer: { id: 42 } }),
      await waiting('other', { customer: { id: 7 } }),
    ]
    expect((await dryRun({ filter: { 'input.customer.id': 42 } })).sample).toEqual([one])
    expect((await dryRun({ filter: { definition: ['approval', 'other'], 'createdAt[gte]': '-1h' } })).sample).toEqual([
      two,
      one,
    ])
    expect(await dryRun({ filter: { parent: one } })).toMatchObject({ count: 0, skipped: { count: 0 } })
    await rests(await start('sums', { items: [] }), 'completed')
    expect(await dryRun({ filter: { 'finishedAt[gte]': '-1h' } })).toMatchObject({
      ...{ count: 0, skipped: { count: 1, reasons: { completed: 1 } } },
    })
  })

  it('tells what it is about as it was asked, and means the same when that is sent again', async () => {
    const [one, two] = [await waiting('approval', { of: 'told' }), await waiting('approval', { of: 'told' })]
    const target = {
      filter: { 'input.of': 'told', definition: 'approval', version: 1, 'startedAt[gte]': '-1h', q: 'approval' },
      exclude: [one],
    }
    const { body: begun } = await api.call('POST', B, { body: { action: 'pause', target } })
    const { body } = await api.call('GET', `${B}/${begun.id}`)
    expect(body.target).toEqual({
      filter: {
        ...{ 'input.of': 'told', definition: 'approval', version: 1, q: 'approval' },
        ...{ status: 'running,suspended', 'createdAt[gte]': expect.stringMatching(/^20.*Z$/) },
      },
      exclude: [one],
    })
    expect(body.filter).toEqual(body.target.filter)
    await rests(two, 'paused')
    const again = { filter: { ...body.target.filter, status: 'paused' }, exclude: body.target.exclude }
    expect((await dryRun(again, 'continue')).sample).toEqual([two])
    const byId = (await api.call('POST', B, { body: { action: 'continue', target: { ids: [two] } } })).body
    expect([byId.target, byId.filter]).toEqual([{ ids: [two] }, {}])
  })

  it('leaves out whom it is told to, and keeps its reason', async () => {
    const [one, two] = [await waiting('approval', { of: 'exclude' }), await waiting('approval', { of: 'exclude' })]
    const target = { filter: { 'input.of': 'exclude' }, exclude: [one] }
    expect(await dryRun(target)).toMatchObject({ count: 1, exact: true, sample: [two] })
    expect(await run(target, { reason: 'upkeep' })).toEqual({ items: [two], note: 'upkeep' })
    await rests(two, 'paused')
    expect((await api.call('GET', `/workflow-instances/${one}`)).body.status).toBe('suspended')
  })

  it('is about those that its dry run counted: times ago count from then, and what began later is left out', async () => {
    const before = await waiting('approval', { of: 'frozen' })
    await new Promise((resolve) => setTimeout(resolve, 60))
    const filter = { 'input.of': 'frozen', 'createdAt[lte]': '-10ms' }
    const { count, asOf } = await dryRun({ filter })
    expect(count).toBe(1)
    await waiting('approval', { of: 'frozen' })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect((await dryRun({ filter })).count).toBe(2)
    expect((await dryRun({ filter, asOf })).count).toBe(1)
    expect((await run({ filter, asOf })).items).toEqual([before])
  })

  it('rests while it is paused, whatever else runs, and goes on when it is told to', async () => {
    const [one, other] = [await waiting('approval', { of: 'rest' }), await waiting('approval', { of: 'other' })]
    const { operations } = postgresEngineStore(api.db)
    const id = '0199a000-0000-7000-8000-000000000001'
    const wire = `bop_${id}`
    // Nobody is woken for it: it is paused before anybody sees it.
    await operations.create({
      ...{ tenant: 'default', id, verb: 'pause', options: '{}', limit: 10, note: undefined },
      filter: { instanceIds: [one].map((each) => each.slice(4)) },
    })
    const steer = async (verb: string) => (await api.call('POST', `${B}/${wire}/${verb}`)).body
    for (let twice = 0; twice < 2; twice += 1) expect(await steer('pause')).toMatchObject({ id: wire, state: 'paused' })
    expect((await run({ ids: [other] })).items).toEqual([other])
    expect((await api.call('GET', B)).body.items.find((each: { id: string }) => each.id === wire).state).toBe('paused')
    expect((await api.call('GET', `/workflow-instances/${one}`)).body.status).toBe('suspended')
    expect((await steer('continue')).state).not.toBe('paused')
    await expect.poll(async () => (await api.call('GET', `${B}/${wire}`)).body.state).toBe('done')
    await rests(one, 'paused')
    for (const verb of ['pause', 'continue'])
      expect((await api.call('POST', `${B}/${wire}/${verb}`)).body.code).toBe('OPERATION_OVER')
    const { items } = (await api.call('GET', '/audit-log?limit=50')).body
    const audited = items.filter((each: { target: string }) => each.target === wire)
    expect(audited.map((each: { operation: string }) => each.operation)).toEqual(
      expect.arrayContaining(['pauseBatchOperation', 'continueBatchOperation']),
    )
  })

  it.each([
    ['cancel', { compensat: false }, '/options/compensat', /Did you mean "compensate"/],
    ['cancel', { compensate: 'no' }, '/options/compensate', /boolean/],
    ['terminate', { children: 5 }, '/options/children', /boolean/],
    ['pause', { reason: { a: 1 } }, '/options/reason', /string/],
    ['continue', { reason: 'x' }, '/options/reason', /takes none/],
    ['retry', { forced: true }, '/options/forced', /of the options.*Did you mean "force"/],
    ['migrate', { version: -4 }, '/options/version', /1/],
    ['migrate', { version: 99 }, '/options/version', /"approval" has no version 99/],
    ['migrate', {}, '/options/version', /"version" is missing from the options/],
    ['migrate', undefined, '/options/version', /"version" is missing from the options/],
    ['delete', { reason: 'x' }, '/options/reason', /takes none/],
  ])('refuses options of %s before anything is listed: %j', async (action, options, field, text) => {
    await waiting('approval', { of: 'options' })
    const before = (await api.call('GET', B)).body.items
    for (const target of [{ filter: { definition: 'approval' } }, { filter: { 'input.of': 'options' } }])
      for (const dry of [true, false]) {
        const { status, body } = await api.call('POST', B, { body: { action, target, options, dryRun: dry } })
        expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
        expect(body.errors[0]).toMatchObject({ in: 'body', field, text: expect.stringMatching(text) })
      }
    expect((await api.call('GET', B)).body.items).toEqual(before)
  })

  it('says of options what the verb itself says', async () => {
    const id = await waiting('approval', { of: 'same words' })
    const said = { compensat: false }
    const one = (await api.call('POST', `/workflow-instances/${id}/cancel`, { body: said })).body.errors[0]
    const many = await api.call('POST', B, { body: { action: 'cancel', target: { ids: [id] }, options: said } })
    const field = `/options${one.field}`
    const fault = { ...one, field, pointer: field, text: one.text.replace('the body', 'the options') }
    expect(many.body.errors).toEqual([fault])
  })

  it('counts in its dry run what it would do: as many as its limit, and none that is held', async () => {
    const ids = [await waiting('approval', { of: 'limit' }), await waiting('approval', { of: 'limit' })]
    const target = { filter: { 'input.of': 'limit' } }
    const limited = await api.call('POST', B, { body: { action: 'pause', target, limit: 1, dryRun: true } })
    expect(limited.body).toMatchObject({ count: 1, sample: [ids[0]], skipped: { count: 1, reasons: { limit: 1 } } })
    expect((await run(target, { limit: 1 })).items).toEqual([ids[0]])
    const ended = await start('sums', { items: [], of: 'held' })
    await rests(ended, 'completed')
    await api.call('PUT', '/retention/holds', { body: { definitionId: 'sums', reason: 'a trial' } })
    const held = await dryRun({ filter: { 'input.of': 'held' } }, 'delete')
    expect(held).toMatchObject({ count: 0, sample: [], skipped: { count: 1, reasons: { held: 1 } } })
    const real = await run({ filter: { 'input.of': 'held' } }, { action: 'delete' })
    expect(real.items).toEqual([ended])
    expect((await api.call('GET', `/workflow-instances/${ended}`)).status).toBe(200)
    await api.call('DELETE', '/retention/holds?definitionId=sums')
    expect(await dryRun({ filter: { 'input.of': 'held' } }, 'delete')).toMatchObject({ count: 1, sample: [ended] })
  })

  it.each([
    [{ filter: { colour: 'red' } }, '/target/filter/colour', /use status/],
    [{ filter: { statuss: 'faulted' } }, '/target/filter/statuss', /Did you mean "status"/],
    [{ filter: { status: { a: 1 } } }, '/target/filter/status', /must be text/],
    [{ filter: { correlation: ['c1', 'c2'] } }, '/target/filter/correlation', /takes one value/],
    [{ filter: { 'input.of': ['a', 'b'] } }, '/target/filter/input.of', /takes one value/],
    [{ filter: { parent: 'wfi_zzz' } }, '/target/filter/parent', /id of an instance/],
    [{ filter: { definition: 'a', definitionId: 'b' } }, '/target/filter/definitionId', /same as "definition"/],
    [{ ids: [`wfi_${'-'.repeat(36)}`] }, '/target/ids/0', /no id of an instance/],
    [{ filter: { tag: 'two words' } }, '/target/filter/tag', /tags of workflows/],
    [{ filter: { status: 'queued', 'startedAt[gte]': '-1h' } }, '/target/filter/status', /has begun/],
    [{ filter: { 'startedAt[gte]': 'soon' } }, '/target/filter/startedAt[gte]', /write an instant/],
    [{ filter: { status: 'odd' } }, '/target/filter/status', /one or more of queued/],
    [{ filter: { definition: 'approval', version: 'x' } }, '/target/filter/version', /integer/],
    [{ filter: { status: 'paused' }, asOf: '2999-01-01T00:00:00Z' }, '/target/asOf', /has been/],
    [{ exclude: ['wfi_00000000-0000-7000-8000-000000000000'] }, '/target/filter', /at least one condition/],
  ])('refuses %j with the place and the fix', async (target, field, text) => {
    const { status, body } = await api.call('POST', B, { body: { action: 'pause', target } })
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.errors[0]).toMatchObject({ field, text: expect.stringMatching(text) })
  })
})
