import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { stamped, stamps } from '../../src/engine/instance.sql.ts'
import type { Db } from '../../src/index.ts'
import { openTestPostgres } from '../open-test-database.ts'
import { touchedPages } from './touched-pages.ts'

const ID = '01900000-0000-7000-8000-000000000001'

let db: Db
beforeAll(async () => {
  db = await openTestPostgres((await cloneDatabase(inject('postgres'))).url)
})
afterAll(() => db?.close())

/** Counted while it was empty, the table seems to be worth reading as a whole; what was deleted since nobody has swept is still in its index. */
it('the stamp of an instance costs a few pages among all that was due and is done', async () => {
  await db.script(`
    set session_replication_role = replica;
    alter table agenda set (autovacuum_enabled = off);
    insert into instance (id, tenant, definition_id, version, queue, created_at, status)
    select ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'default', 'd', 1, 'default', now(), 'suspended' from generate_series(1, 20000) n;
    insert into agenda (instance_id, tenant, queue, due_at, claim_no) select id, 'default', 'default', now(), 1 from instance;
    delete from agenda;
    analyze instance, agenda`)
  for (const statement of [stamps, stamped])
    expect(await touchedPages(db, statement, { tenant: 'default', ids: [ID] })).toBeLessThan(60)
})
