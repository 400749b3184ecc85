import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import * as sql from '../../src/engine/incident.sql.ts'
import { postgresIncidents } from '../../src/engine/incident-store.ts'
import { type Db, migrate, type Statement } from '../../src/index.ts'
import { edge, openTestPglite, openTestPostgres } from '../open-test-database.ts'
import { touchedPages } from './touched-pages.ts'

const RUNS = 12_000
const TENANT = 'default'

/** Twelve thousand runs of version 1, of which a third failed and was resolved; then version 2, which fails anew. */
describe.each(['postgres', 'pglite'] as const)('incidents that are alike on %s', (driver) => {
  let db: Db
  let pages = 0
  beforeAll(async () => {
    db =
      driver === 'postgres'
        ? await openTestPostgres((await cloneDatabase(inject('postgres'))).url)
        : await openTestPglite()
    if (driver === 'pglite') await migrate(db, { mode: 'auto', ...edge })
    await db.script(`
      insert into definition_version (id, version, tenant, hash) values ('order', 1, '${TENANT}', 'a'), ('order', 2, '${TENANT}', 'b');
      insert into instance (id, tenant, definition_id, version, queue, created_at, finished_at, status, last_seq)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${TENANT}', 'order', case when n > ${RUNS} then 2 else 1 end, 'default', now(), now(),
             case when n > ${RUNS} then 'faulted' else 'completed' end, 1
        from generate_series(1, ${RUNS} + 5) n;
      insert into incident (id, tenant, instance_id, step, fingerprint, code, message, opened_at, resolved_at)
      select i.id, i.tenant, i.id, 'pay', case when i.version = 1 then 'old' else 'new' end, 'BROKEN', 'no', now(), case when i.version = 1 then now() end
        from (select *, row_number() over (order by id) as n from instance) i where i.version = 2 or i.n % 3 = 0;
      analyze instance; analyze incident; analyze definition_version`)
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

  it('are told with the version that they began with, from a few pages of runs', async () => {
    expect(await postgresIncidents(db).groups(TENANT, {}, 100)).toMatchObject([
      { fingerprint: 'new', open: 5, firstVersion: 2, cleanVersion: 1 },
    ])
    const bounds = { lookAt: 20_000, slots: 24, slotMs: [150_000, 3_600_000, 25_200_000], runs: 50 }
    expect(await touchedPages(db, sql.groups, { tenant: TENANT, limit: 100, ...bounds })).toBeLessThan(pages / 2)
  })

  it('are told which was resolved last, without a look at all that were', async () => {
    expect(await postgresIncidents(db).lastResolved(TENANT)).toMatchObject({ fingerprint: 'old' })
    expect(await postgresIncidents(db).lastResolved('another')).toBeUndefined()
    expect(await touchedPages(db, sql.lastResolved, { tenant: TENANT, lookAt: 20 })).toBeLessThan(pages / 2)
  })
})
