import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { oldestDue } from '../../src/engine/queue.sql.ts'
import { type Db, migrate, postgresBrowse } from '../../src/index.ts'
import { edge, openTestPglite, openTestPostgres } from '../open-test-database.ts'
import { touchedPages } from './touched-pages.ts'

const NODE = '01900000-0000-7000-8000-00000000ffff'

describe.each(['postgres', 'pglite'] as const)('the age of what is due on %s', (driver) => {
  let db: Db
  beforeAll(async () => {
    db =
      driver === 'postgres'
        ? await openTestPostgres((await cloneDatabase(inject('postgres'))).url)
        : await openTestPglite()
    if (driver === 'pglite') await migrate(db, { mode: 'auto', ...edge })
    // What instances and nodes they are of makes no difference here.
    await db.script('alter table agenda disable trigger all')
  })
  beforeEach(() => db.script('truncate agenda'))
  afterAll(() => db?.close())

  /** Rows by queue, tenant, seconds that they have been due (less than 0: they are not yet), whether they ran, and whether a node has them. */
  let last = 0
  const put = async (queue: string, tenant: string, lateS: number, { ran = false, held = false } = {}) => {
    last += 1
    await db.script(`
      insert into agenda (instance_id, tenant, queue, due_at, claim_no, claimed_by)
      values ('01900000-0000-7000-8000-${last.toString(16).padStart(12, '0')}', '${tenant}', '${queue}',
              clock_timestamp() - interval '${lateS} seconds', ${ran ? 3 : 0}, ${held ? `'${NODE}'` : 'null'})`)
  }
  const ages = async () => {
    const { graphsMs, functionsMs } = await postgresBrowse(db).oldestDue()
    return [graphsMs, functionsMs].map((ms) => Math.floor(ms / 10_000) * 10)
  }

  it('is nothing where nothing is due, or somebody has it in hand', async () => {
    expect(await ages()).toEqual([0, 0])
    await put('default', 'acme', -60)
    await put('default', 'acme', -60, { ran: true })
    await put('default', 'acme', 300, { held: true })
    await put('fn/report/1', 'acme', 300, { ran: true, held: true })
    expect(await postgresBrowse(db).oldestDue()).toEqual({ graphsMs: 0, functionsMs: 0 })
  })

  it('is that of the oldest, whether it has run before, and whoever it is of', async () => {
    await put('default', 'acme', 20)
    await put('default', 'zoo', 40)
    await put('default', 'acme', 30, { ran: true })
    await put('fn/a/1', 'acme', -5, { ran: true })
    await put('fn/report/1', 'acme', 70, { ran: true })
    await put('fn/report/2', 'zoo', 90)
    expect(await ages()).toEqual([40, 90])
    await put('default', 'acme', 50, { ran: true })
    await put('fn/report/1', 'acme', 120, { ran: true })
    expect(await ages()).toEqual([50, 120])
  })

  it('costs a few pages, however much waits', async () => {
    await db.script(`
      insert into agenda (instance_id, tenant, queue, due_at, claim_no)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'tenant-' || n % 3,
             case when n % 2 = 0 then 'default' else 'fn/f' || n % 5 || '/1' end, clock_timestamp() - n * interval '1 second', n % 7
        from generate_series(1, 30000) n;
      analyze agenda`)
    expect(await ages()).toEqual([30_000, 29_990])
    expect(await touchedPages(db, oldestDue, undefined)).toBeLessThan(150)
  })
})
