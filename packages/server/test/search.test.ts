import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

const D = '/workflow-definitions'
const I = '/workflow-instances'

let api: TestApi
/** Of each workflow one instance, oldest first: by what the test calls it. */
const started: Record<string, string> = {}

beforeAll(async () => {
  api = await openTestApi({
    workflows: [workflow('billing.monthly', async () => 'paid', { tags: ['eu', 'code'] })],
  })
  const documents = [
    { ...approval('orders'), name: 'Order approval', tags: ['eu', 'team:sales'] },
    { ...approval('returns'), name: 'Returns', tags: ['us'] },
    { ...sums('totals'), name: 'ORDER totals' },
  ]
  for (const document of documents)
    expect((await api.call('PUT', `${D}/${document.id}`, { body: document })).status).toBe(201)
  for (const [definitionId, correlationId] of [
    ['orders', 'cust-1'],
    ['returns', 'cust-12'],
    ['totals', 'Cust-1'],
    ['billing.monthly', undefined],
  ] as const) {
    const body = { definitionId, correlationId, input: { items: [] } }
    started[definitionId] = (await api.call('POST', I, { body })).body.id
  }
  // More than one page looks at, newer than all of them: what is found among these is found by an index.
  await api.db.script(`
    insert into instance (id, tenant, definition_id, version, correlation_id, queue, created_at, finished_at, status, last_seq)
    select ('0fffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'default', 'seeded', 1, 'seed-' || n, 'default',
           now(), now(), 'completed', 1 from generate_series(1, 20500) n`)
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

interface Found {
  readonly id: string
  readonly tags: readonly string[]
}
const list = async (path: string) => {
  const { status, body } = await api.call('GET', path)
  expect([status, body]).toEqual([200, expect.anything()])
  return body
}
const ids = async (path: string): Promise<readonly string[]> => (await list(path)).items.map(({ id }: Found) => id)
/** Which instances all pages show, by workflow. */
const instances = async (query: string): Promise<readonly string[]> => {
  const names = new Map(Object.entries(started).map(([name, id]) => [id, name]))
  const found: string[] = []
  let cursor = ''
  do {
    const { items, page } = await list(`${I}?limit=200&${query}${cursor}`)
    found.push(...items.map(({ id }: Found) => names.get(id) ?? id))
    cursor = page.next === null ? '' : `&cursor=${page.next}`
  } while (cursor !== '')
  return found
}

describe('tags', () => {
  it('are shown with workflows, of graphs and of code', async () => {
    const { items } = await list(D)
    expect(Object.fromEntries(items.map(({ id, tags }: Found) => [id, tags]))).toEqual({
      'billing.monthly': ['eu', 'code'],
      orders: ['eu', 'team:sales'],
      returns: ['us'],
      totals: [],
    })
    expect((await api.call('GET', `${D}/orders`)).body.tags).toEqual(['eu', 'team:sales'])
  })

  it('are what workflows are filtered by', async () => {
    expect(await ids(`${D}?tag=eu`)).toEqual(['billing.monthly', 'orders'])
    expect(await ids(`${D}?tag=us,team:sales`)).toEqual(['orders', 'returns'])
    expect(await ids(`${D}?tag=eu&kind=graph`)).toEqual(['orders'])
    expect(await ids(`${D}?tag=nobody`)).toEqual([])
  })

  it('are what instances are filtered by, in lists, in searches and in batches', async () => {
    expect(await instances('tag=eu')).toEqual(['billing.monthly', 'orders'])
    expect(await instances('tag=us,team:sales&correlation=cust-12')).toEqual(['returns'])
    expect((await list(`${I}?tag=nobody`)).page.next).toBeNull()
    const searched = await api.call('POST', `${I}/search`, {
      body: { filter: { tag: ['us', 'team:sales'], correlation: 'cust-1' } },
    })
    expect(searched.body.items.map(({ id }: Found) => id)).toEqual([started.orders])
    const target = { filter: { tag: 'eu' } }
    const preview = await api.call('POST', '/batch-operations', { body: { action: 'pause', target, dryRun: true } })
    expect(preview.body).toMatchObject({ count: 1, sample: [started.orders], skipped: { reasons: { completed: 1 } } })
  })

  it('go with the draft, and are checked where they stand', async () => {
    const wrong = { ...sums('tagged'), tags: ['eu', 'two words', 'x'.repeat(41)] }
    const created = await api.call('POST', D, { body: wrong })
    expect(created.body.problems).toMatchObject([
      {
        pointer: '/tags/1',
        code: 'INVALID_NAME',
        text: expect.stringMatching(/1 to 40 letters, digits and - _ \. : \//),
      },
      { pointer: '/tags/2', code: 'INVALID_NAME' },
    ])
    expect((await api.call('GET', `${D}/tagged`)).body.tags).toEqual(['eu'])
    expect((await api.call('POST', `${D}/tagged/publish`)).body.problems[0].pointer).toBe('/tags/1')
    const many = { ...sums('tagged'), tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }
    const saved = await api.call('PUT', `${D}/tagged/draft`, { body: many, headers: { 'if-match': '"1"' } })
    expect(saved.body.problems).toMatchObject([{ pointer: '/tags', code: 'OUT_OF_RANGE' }])
    await api.call('DELETE', `${D}/tagged/draft`, { headers: { 'if-match': '"2"' } })
  })

  it.each([`${D}?tag=two%20words`, `${I}?tag=`, `${I}?tag=eu,,us`])(
    'are refused where they are none: %s',
    async (path) => {
      const { status, body } = await api.call('GET', path)
      expect([status, body.code, body.errors[0].field]).toEqual([400, 'INVALID_REQUEST', 'tag'])
    },
  )
})

describe('lists of values', () => {
  const search = (filter: object) => api.call('POST', `${I}/search`, { body: { filter } })

  it('mean any of them where a filter can mean several', async () => {
    const { body } = await search({ q: 'cust-1', definition: ['orders', 'returns'], status: ['suspended', 'faulted'] })
    expect(body.items.map(({ id }: Found) => id)).toEqual([started.returns, started.orders])
    expect((await search({ correlation: ['cust-1'] })).body.items).toHaveLength(1)
  })

  it.each(['correlation', 'q', 'parent', 'version', 'input.customerId', 'createdAt[gte]'])(
    'are refused where it takes one value: %s',
    async (name) => {
      const { status, body } = await search({ [name]: ['1', '2'] })
      const text = `"${name}" takes one value, not a list of 2`
      expect([status, body.errors]).toMatchObject([400, [{ in: 'body', field: `/filter/${name}`, text }]])
      const query = `${encodeURIComponent(name)}=1&${encodeURIComponent(name)}=2`
      const twice = await api.call('GET', `${I}?${query}`)
      expect([twice.status, twice.body.errors[0].field]).toEqual([400, name])
      expect(twice.body.errors[0].text).toMatch(/more than once/)
    },
  )

  it('are not chosen from: a workflow is named once', async () => {
    const { status, body } = await api.call('GET', `${I}?definition=orders&definitionId=returns`)
    expect([status, body.errors]).toEqual([
      400,
      [{ in: 'query', field: 'definitionId', text: expect.stringMatching(/the same as "definition"/) }],
    ])
    expect((await search({ definition: 'orders', definitionId: 'returns' })).body.errors[0].field).toBe(
      '/filter/definitionId',
    )
    expect(await instances('definitionId=orders')).toEqual(['orders'])
  })

  it('name the parent that is none', async () => {
    const { status, body } = await api.call('GET', `${I}?parent=wfi_zzz`)
    const text = '"parent" must be the id of an instance: wfi_ and a uuid'
    expect([status, body.errors]).toEqual([400, [{ in: 'query', field: 'parent', text }]])
  })
})

describe('statuses', () => {
  it('are counted over a bounded number of instances, with the filters of the list', async () => {
    expect(await list(`${I}/counts`)).toEqual({ statuses: { completed: 10_000 }, exact: false })
    expect(await list(`${I}/counts?correlation=cust-1`)).toEqual({ statuses: { suspended: 1 }, exact: true })
    expect(await list(`${I}/counts?q=cust-1`)).toEqual({ statuses: { suspended: 2 }, exact: true })
    expect(await list(`${I}/counts?tag=nobody`)).toEqual({ statuses: {}, exact: true })
  })

  it.each(['status=faulted', 'input.customerId=7', 'limit=1'])('are not counted by %s', async (query) => {
    const { status, body } = await api.call('GET', `${I}/counts?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('a text', () => {
  it('finds workflows by a part of id, name or tag, whatever the case', async () => {
    expect(await ids(`${D}?q=ORDER`)).toEqual(['orders', 'totals'])
    expect(await ids(`${D}?q=billing`)).toEqual(['billing.monthly'])
    expect(await ids(`${D}?q=sales`)).toEqual(['orders'])
    expect(await ids(`${D}?q=order&tag=eu`)).toEqual(['orders'])
    expect(await ids(`${D}?q=%25`)).toEqual([])
  })

  it('finds instances by what their correlation id begins with, and by their id', async () => {
    expect(await instances('q=cust-1')).toEqual(['returns', 'orders'])
    expect(await instances('q=cust-12')).toEqual(['returns'])
    for (const text of [started.totals!, started.totals!.slice(4), started.totals!.slice(4).toUpperCase()])
      expect(await instances(`q=${text}`)).toEqual(['totals'])
    expect(await ids(`${I}?q=seed-19999`)).toHaveLength(1)
    expect((await list(`${I}?q=seed-2050`)).items).toHaveLength(2)
    expect((await list(`${I}?q=nothing-like-it`)).page).toMatchObject({ next: null, prev: null })
  })

  it('finds instances by a part of the id or name of their workflow', async () => {
    expect(await instances('q=order')).toEqual(['totals', 'orders'])
    expect(await instances('q=Monthly')).toEqual(['billing.monthly'])
  })

  it('is read forth and back where thousands fit, by id and by correlation id', async () => {
    for (const text of ['seed-', '0fffffff']) {
      const first = await list(`${I}?q=${text}&limit=3`)
      expect(first.items.map(({ id }: Found) => Number.parseInt(id.slice(-12), 16))).toEqual([20_500, 20_499, 20_498])
      expect(first.count).toMatchObject({ exact: false })
      const next = await list(`${I}?q=${text}&limit=3&cursor=${first.page.next}`)
      expect((await list(`${I}?q=${text}&limit=3&cursor=${next.page.prev}`)).items).toEqual(first.items)
    }
    const few = await list(`${I}?q=seed-2000&limit=2`)
    expect([few.items.length, few.count]).toEqual([2, { value: 11, exact: true }])
  })

  it('is what batches can be about', async () => {
    const preview = async (q: string) =>
      (
        await api.call('POST', '/batch-operations', {
          body: { action: 'pause', target: { filter: { q } }, dryRun: true },
        })
      ).body
    expect(await preview('cust-1')).toMatchObject({ count: 2, sample: [started.returns, started.orders] })
    expect(await preview(started.orders!)).toMatchObject({ count: 1, sample: [started.orders] })
    expect(await preview('approval')).toMatchObject({ count: 1, sample: [started.orders] })
  })

  it.each([`${D}?q=a%00b`, `${I}?q=%00`, `${I}?correlation=a%00`])(
    'that no store can keep is refused: %s',
    async (path) => {
      const { status, body } = await api.call('GET', path)
      expect([status, body.errors[0].text]).toEqual([400, expect.stringContaining('may not hold U+0000')])
    },
  )

  it('of blanks is refused', async () => {
    for (const path of [`${D}?q=%20`, `${I}?q=%20`]) expect((await api.call('GET', path)).status).toBe(400)
    const { status, body } = await api.call('POST', `${I}/search`, { body: { filter: { q: ' ' } } })
    expect([status, body.errors[0].field]).toEqual([400, '/filter/q'])
  })
})

describe('an order', () => {
  it('of instances is by their start, either way', async () => {
    expect(await instances('definition=orders,returns,totals&sort=createdAt')).toEqual(['orders', 'returns', 'totals'])
    expect(await instances('definition=orders,returns,totals&sort=-createdAt')).toEqual(['totals', 'returns', 'orders'])
    const first = await list(`${I}?sort=createdAt&limit=2`)
    const next = await list(`${I}?sort=createdAt&limit=2&cursor=${first.page.next}`)
    expect([...first.items, ...next.items].map(({ id }: Found) => id)).toEqual([
      ...[started.orders, started.returns, started.totals, started['billing.monthly']],
    ])
    expect((await list(`${I}?sort=createdAt&limit=2&cursor=${next.page.prev}`)).items).toEqual(first.items)
    expect(first.count).toEqual({ value: 10_000, exact: false })
    expect(await instances('sort=createdAt&createdAt[lt]=2020-01-01')).toEqual([])
  })

  it.each([
    [`${D}?sort=id`, ['billing.monthly', 'orders', 'returns', 'totals']],
    [`${D}?sort=-id`, ['totals', 'returns', 'orders', 'billing.monthly']],
    [`${D}?sort=name`, ['billing.monthly', 'orders', 'totals', 'returns']],
    [`${D}?sort=-name`, ['returns', 'totals', 'orders', 'billing.monthly']],
    [`${D}?sort=updatedAt`, ['billing.monthly', 'orders', 'returns', 'totals']],
    [`${D}?sort=-updatedAt`, ['totals', 'returns', 'orders', 'billing.monthly']],
  ])('of workflows: %s', async (path, wanted) => {
    expect(await ids(path)).toEqual(wanted)
    const first = await list(`${path}&limit=3`)
    expect(first.count).toEqual({ value: 4, exact: true })
    const last = await list(`${path}&limit=3&cursor=${first.page.next}`)
    expect([...first.items, ...last.items].map(({ id }: Found) => id)).toEqual(wanted)
    expect((await list(`${path}&limit=3&cursor=${last.page.prev}`)).items).toEqual(first.items)
  })

  it('is part of a cursor: none is used with another', async () => {
    for (const path of [I, D]) {
      const sort = path === I ? 'createdAt' : 'name'
      const { next } = (await list(`${path}?limit=1&sort=${sort}`)).page
      for (const other of ['', `&sort=-${sort}`, `&sort=${sort}&q=x`]) {
        const { status, body } = await api.call('GET', `${path}?limit=1&cursor=${next}${other}`)
        expect([status, body.code]).toEqual([400, 'INVALID_CURSOR'])
      }
    }
    const { next } = (await list(`${I}?limit=1`)).page
    expect((await list(`${I}?limit=1&sort=-createdAt&cursor=${next}`)).items).toHaveLength(1)
  })

  it.each([
    [`${I}?sort=-finishedAt`, /one of -createdAt, createdAt/],
    [`${D}?sort=colour`, /one of id, -id, name, -name, updatedAt, -updatedAt/],
  ])('that nothing is kept in is refused with the choices: %s', async (path, text) => {
    const { status, body } = await api.call('GET', path)
    expect([status, body.errors[0]]).toMatchObject([400, { field: 'sort', text: expect.stringMatching(text) }])
  })
})
