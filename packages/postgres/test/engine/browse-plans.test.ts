import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { lockWaiters } from '../../src/engine/browse.sql.ts'
import * as sql from '../../src/engine/browse-instance.sql.ts'
import { type Db, migrate, postgresBrowse, type Statement } from '../../src/index.ts'
import { edge, openTestPglite, openTestPostgres } from '../open-test-database.ts'
import { touchedPages } from './touched-pages.ts'

const ROWS = 12_000
const uuid = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const TENANT = 'default'

/** What finds instances must look at what it finds, however many others there are. */
describe.each(['postgres', 'pglite'] as const)('finding instances on %s', (driver) => {
  let db: Db
  let pages = 0
  beforeAll(async () => {
    db =
      driver === 'postgres'
        ? await openTestPostgres((await cloneDatabase(inject('postgres'))).url)
        : await openTestPglite()
    if (driver === 'pglite') await migrate(db, { mode: 'auto', ...edge })
    await db.script(`
      insert into instance (id, tenant, definition_id, version, correlation_id, parent_id, queue, created_at, finished_at, status, last_seq)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${TENANT}', 'order', 1, 'order-' || n,
             case when n % 3000 = 0 then '${uuid(1)}'::uuid end, 'default', now(), now(), 'completed', 1
        from generate_series(1, ${ROWS}) n;
      analyze instance`)
    const size: Statement<undefined, { pages: number }> = {
      ...{ name: 'test_pages', readOnly: true, bind: () => [] },
      text: `select (pg_relation_size('instance') / 8192)::integer as pages`,
    }
    pages = (await db.one(size)).pages
    expect(pages).toBeGreaterThan(200)
  })
  afterAll(async () => {
    await db?.close()
  })

  const touched = <P>(statement: Statement<P, unknown>, params: P) => touchedPages(db, statement, params)

  const ids = Array.from({ length: 20 }, (_, n) => uuid(n * 500 + 1))
  const among = { tenant: TENANT, text: 'order-', ids, limit: 51 } as unknown as sql.InstancesAmong

  it.each([
    ['a correlation id', () => touched(sql.idsOfCorrelation, { tenant: TENANT, correlationId: 'order-9999' })],
    ['what it begins with', () => touched(sql.idsByCorrelation, { tenant: TENANT, prefix: 'order-999' })],
    ['nothing', () => touched(sql.idsByCorrelation, { tenant: TENANT, prefix: 'zzz' })],
    ['a parent', () => touched(sql.idsOfParent, { tenant: TENANT, parentId: uuid(1) })],
    ['an id', () => touched(sql.idsBetween, { tenant: TENANT, first: uuid(9_000), last: uuid(9_009) })],
    ['ids that an index gave', () => touched(sql.instanceCountAmong, among)],
    ['the statuses of ids that an index gave', () => touched(sql.instanceStatusesAmong, among)],
  ])('by %s reads a few pages', async (_, read) => {
    expect(await read()).toBeLessThan(pages / 4)
  })

  it('finds those who wait for locks among many who wait for something else', async () => {
    await db.script(`
      insert into step_permit (tenant, kind, key, instance_id, step, ticket, asked_at)
      select '${TENANT}', case when n % 5000 = 0 then 'lock' else 'limit' end, 'bank',
             ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'pay', n, now()
        from generate_series(1, ${ROWS}) n;
      analyze step_permit`)
    const { waiters, more } = await postgresBrowse(db).lockWaiters(10)
    expect([waiters.length, more]).toEqual([2, false])
    expect(await touched(lockWaiters, { limit: 10 })).toBeLessThan(30)
  })

  it('says of those who wait for locks whether there may be more', async () => {
    const { lockWaiters: read } = postgresBrowse(db)
    expect(await read(1)).toMatchObject({ waiters: [{ name: expect.stringContaining('bank') }], more: true })
    await db.script(`update step_permit set kind = 'lock' where ticket <= 1000`)
    expect(await read(2_000)).toMatchObject({ more: true }) // as many as are looked at
    await db.script(`delete from step_permit`)
    expect(await read(10)).toEqual({ waiters: [], more: false })
  })

  it('counts statuses along one stretch, and says whether that was all', async () => {
    const browse = postgresBrowse(db)
    expect(await browse.instanceCounts(TENANT, {})).toEqual({ statuses: { completed: 10_000 }, exact: false })
    expect(await browse.instanceCounts(TENANT, { text: 'order-999' })).toEqual({
      ...{ statuses: { completed: 11 }, exact: true },
    })
    expect(await browse.instanceCounts(TENANT, { correlationId: 'nobody' })).toEqual({ statuses: {}, exact: true })
    expect(await browse.instanceCounts('another', {})).toEqual({ statuses: {}, exact: false })
    const until = { text: uuid(16).slice(0, 35) }
    expect(await browse.instanceCounts(TENANT, until)).toMatchObject({ statuses: { completed: 16 }, exact: true })
  })

  it('gives them in both orders, forth and back', async () => {
    const browse = postgresBrowse(db)
    const numbers = async (place: Parameters<typeof browse.instances>[2], limit = 3) =>
      (await browse.instances(TENANT, { text: 'order-999' }, place, limit)).rows.map(({ correlationId }) =>
        Number(correlationId?.slice(6)),
      )
    expect(await numbers({})).toEqual([9_999, 9_998, 9_997])
    expect(await numbers({ oldestFirst: true })).toEqual([999, 9_990, 9_991])
    expect(await numbers({ from: uuid(9_997) }, 2)).toEqual([9_996, 9_995])
    expect(await numbers({ from: uuid(9_997), back: true }, 2)).toEqual([9_999, 9_998])
    expect(await numbers({ from: uuid(9_991), oldestFirst: true, back: true }, 5)).toEqual([999, 9_990])
    for (const n of [0, 15].map((last) => 0x1230 + last))
      for (const oldestFirst of [false, true])
        for (const length of [35, 36]) {
          const page = await browse.instances(TENANT, { text: uuid(n).slice(0, length) }, { oldestFirst }, 20)
          expect(page.rows.map(({ id }) => id)).toContain(uuid(n))
          expect(page).toMatchObject({ rows: { length: length === 36 ? 1 : 16 }, lookedTo: undefined })
        }
    expect((await browse.instances(TENANT, { text: 'order-999' }, {}, 3)).count).toEqual({ value: 11, exact: true })
  })
})
