import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { CommitUnknown, DatabaseTimeout, migrate, statement } from '../src/index.ts'
import { startChild } from './child.ts'
import { edge, errorOf, openTestPglite, testFolder, until } from './open-test-database.ts'

const random = seededRandom(20_261_115)
/** More with LOCKSTEP_CRASH_CYCLES=20: each starts an embedded store anew. */
const CYCLES = Number(process.env.LOCKSTEP_CRASH_CYCLES ?? 4)
/** Many processes are started one after the other. */
const LONG_MS = 400_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const allIds = statement<undefined, { id: number }>('test_all_written', () => [], 'select id from written', {
  readOnly: true,
})

describe('kill -9 of the process', () => {
  it(
    `loses no acknowledged row in ${CYCLES} cycles under writes`,
    async () => {
      using folder = testFolder()
      const acknowledged: number[] = []
      let next = 0
      for (let cycle = 0; cycle < CYCLES; cycle++) {
        await using writer = startChild('write-rows.mjs', folder.path, String(next))
        await writer.said(2 + Math.floor(random.next() * 40))
        await pause(random.next() * 20)
        await writer.kill9()
        for (const line of writer.lines.slice(1)) {
          const [, from, to] = line.split(' ').map(Number) as [number, number, number]
          for (let id = from; id <= to; id++) acknowledged.push(id)
        }
        // The last rows may have been committed without having been acknowledged.
        next = (acknowledged.at(-1) ?? -1) + 101
      }
      await using db = await openTestPglite({ dataDir: folder.path })
      const stored = new Set((await db.many(allIds)).map((row) => row.id))
      expect(acknowledged.length).toBeGreaterThan(CYCLES * 4)
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
    },
    LONG_MS,
  )

  it(
    'at any moment of the first start leaves a folder that opens',
    async () => {
      for (let cycle = 0; cycle < Math.ceil(CYCLES / 2); cycle++) {
        using folder = testFolder()
        const starter = startChild('write-rows.mjs', folder.path, '0')
        await pause(random.next() * 900)
        await starter.kill9()
        await using db = await openTestPglite({ dataDir: folder.path })
        await migrate(db, { mode: 'auto', ...edge })
        await db.ping()
      }
    },
    LONG_MS,
  )
})

describe('a statement that does not end', () => {
  const forever = statement('test_forever', () => [], 'select count(*) from generate_series(1, 1e15)')
  const foreverReading = { ...forever, name: 'test_forever_reading', readOnly: true }
  const insert = statement<number>('test_keep', (id) => [id], 'insert into kept (id) values ($1)')
  const list = statement<undefined, { id: number }>('test_kept', () => [], 'select id from kept order by id', {
    readOnly: true,
  })

  it('is given up, then the engine is started anew on the same folder with everything that was committed', async () => {
    using folder = testFolder()
    await using db = await openTestPglite({
      dataDir: folder.path,
      statementTimeoutMs: 300,
      stuckAfterMs: 3_000,
      acquireTimeoutMs: 60_000,
    })
    await migrate(db, { mode: 'auto', ...edge })
    await db.script('create table kept (id int4 primary key)')
    await db.run(insert, 1)
    const [stuck, behind] = await Promise.all([errorOf(db.run(forever)), errorOf(db.run(insert, 2))])
    expect(CommitUnknown.is(stuck)).toBe(true)
    expect(CommitUnknown.is(behind)).toBe(true)
    await db.run(insert, 3)
    expect(await db.many(list)).toEqual([{ id: 1 }, { id: 3 }])
    expect(DatabaseTimeout.is(await errorOf(db.run(foreverReading)))).toBe(true)
    expect(await db.many(list)).toEqual([{ id: 1 }, { id: 3 }])
  })
})

describe('housekeeping', () => {
  const dead = statement<undefined, { dead: number }>(
    'test_dead_rows',
    () => [],
    `select n_dead_tup::int4 as dead from pg_stat_user_tables where relname = 'churned'`,
    { readOnly: true },
  )

  it('removes dead rows and keeps the log from growing for ever', async () => {
    using folder = testFolder()
    await using db = await openTestPglite({ dataDir: folder.path, housekeepingEveryMs: 50, acquireTimeoutMs: 30_000 })
    await migrate(db, { mode: 'auto', ...edge })
    await db.script(
      `create table churned (id int4, text text); insert into churned select n, repeat('x', 500) from generate_series(1, 5000) n`,
    )
    const logFiles = (): number =>
      readdirSync(join(folder.path, 'pgdata', 'pg_wal')).filter((name) => name.length === 24).length
    for (let round = 0; round < 60; round++) await db.script('update churned set id = id + 1')
    await until(async () => (await db.one(dead)).dead === 0)
    // 60 rounds write some 300 MB, in files of 16 MB.
    expect(logFiles()).toBeLessThan(12)
  })
})
