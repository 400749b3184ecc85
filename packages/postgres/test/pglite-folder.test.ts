import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DataFolderInUse, DataFolderUnreadable, migrate, statement } from '../src/index.ts'
import { lockFolder } from '../src/pglite/folder-lock.ts'
import { startChild } from './child.ts'
import { edge, errorOf, openTestPglite, testFolder, until } from './open-test-database.ts'

const { clock, random } = edge
const count = statement<undefined, { count: number; last: number }>(
  'test_count_written',
  () => [],
  'select count(*)::int4 as count, max(id) as last from written',
  { readOnly: true },
)

describe('a data folder in use', () => {
  it('is refused to a second process, which names the first; no row is lost', async () => {
    using folder = testFolder()
    const writer = startChild('write-rows.mjs', folder.path, '0')
    await writer.said(20)
    const error = await errorOf(openTestPglite({ dataDir: folder.path }))
    expect(DataFolderInUse.is(error) && error.details).toMatchObject({
      folder: folder.path,
      pid: writer.pid,
      host: hostname(),
    })
    const soFar = writer.lines.length
    await writer.said(soFar + 20)
    await writer.kill9()

    await using db = await openTestPglite({ dataDir: folder.path })
    const acknowledged = Number(writer.lines.at(-1)!.split(' ')[2]) + 1
    expect((await db.one(count)).count).toBeGreaterThanOrEqual(acknowledged)
  })

  it('is refused to another part of the same process, and free after close', async () => {
    using folder = testFolder()
    const db = await openTestPglite({ dataDir: folder.path })
    const error = await errorOf(openTestPglite({ dataDir: folder.path }))
    expect(DataFolderInUse.is(error) && error.details.pid).toBe(process.pid)
    await db.close()
    await (await openTestPglite({ dataDir: folder.path })).close()
    expect(readdirSync(join(folder.path, 'lock'))).toEqual([])
  })
})

describe('the lock of a data folder', () => {
  const claim = (folder: string, owner: object): void => {
    mkdirSync(join(folder, 'lock'), { recursive: true })
    const name = join(folder, 'lock', '1-dead')
    writeFileSync(`${name}.claim.json`, JSON.stringify({ host: hostname(), at: '2026-01-01T00:00:00Z', ...owner }))
    writeFileSync(`${name}.held`, '')
  }

  it('passes from a process that has ended', async () => {
    using folder = testFolder()
    const dead = startChild('take-lock.mjs', folder.path)
    dead.tell('go')
    await until(() => dead.lines.includes('locked'))
    expect(DataFolderInUse.is(await errorOf(lockFolder(folder.path, clock, random)))).toBe(true)
    await dead.kill9()
    const lock = await lockFolder(folder.path, clock, random)
    lock.release()
  })

  it('passes from a process whose number another one has now', async () => {
    using folder = testFolder()
    claim(folder.path, { pid: process.ppid, startTime: '1' })
    const lock = await lockFolder(folder.path, clock, random)
    lock.release()
  })

  it('stays with a live process, and with one of another machine that cannot be looked at', async () => {
    using folder = testFolder()
    claim(folder.path, { pid: process.ppid })
    expect(DataFolderInUse.is(await errorOf(lockFolder(folder.path, clock, random)))).toBe(true)
    claim(folder.path, { pid: 1, host: 'elsewhere' })
    const error = await errorOf(lockFolder(folder.path, clock, random))
    expect(DataFolderInUse.is(error) && error.details.host).toBe('elsewhere')
    expect(readdirSync(join(folder.path, 'lock')).sort()).toEqual(['1-dead.claim.json', '1-dead.held'])
  })

  it('goes to exactly one of many that try at once, also over the lock of a dead one', async () => {
    const children = Array.from({ length: 6 }, () => 0)
    for (let round = 0; round < 3; round++) {
      using folder = testFolder()
      if (round > 0) claim(folder.path, { pid: 2 ** 22 - 1 - round })
      const starters = children.map(() => startChild('take-lock.mjs', folder.path))
      for (const starter of starters) await starter.said(1)
      const inThisProcess = Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder.path, clock, random)))
      for (const starter of starters) starter.tell('go')
      for (const starter of starters) await starter.said(2)
      const outcomes = [
        ...starters.map((starter) => starter.lines[1]),
        ...(await inThisProcess).map((result) => (result.status === 'fulfilled' ? 'locked' : result.reason.code)),
      ]
      expect(outcomes.filter((outcome) => outcome === 'locked')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'DATA_FOLDER_IN_USE')).toHaveLength(outcomes.length - 1)
      await Promise.all(starters.map((starter) => starter.kill9()))
    }
  })
})

describe('a data folder that cannot be opened', () => {
  it('is named when it is a file', async () => {
    using folder = testFolder()
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    const error = await errorOf(openTestPglite({ dataDir: file }))
    expect(DataFolderUnreadable.is(error) && error.details.folder).toBe(file)
  })

  it('is named when its contents are damaged, and is left as it was', async () => {
    using folder = testFolder()
    mkdirSync(join(folder.path, 'pgdata', 'global'), { recursive: true })
    writeFileSync(join(folder.path, 'pgdata', 'PG_VERSION'), '9.1\n')
    const error = await errorOf(openTestPglite({ dataDir: folder.path }))
    expect(DataFolderUnreadable.is(error) && error.details.folder).toBe(folder.path)
    expect(readFileSync(join(folder.path, 'pgdata', 'PG_VERSION'), 'utf8')).toBe('9.1\n')
    expect(readdirSync(join(folder.path, 'lock'))).toEqual([])
  })
})

describe('a new data folder', () => {
  it('is the same with and without the snapshot of the package', async () => {
    const tables = statement<undefined, { name: string }>(
      'test_all_tables',
      () => [],
      `select schemaname || '.' || tablename as name from pg_tables where schemaname not like 'pg_%' order by 1`,
      { readOnly: true },
    )
    const seen: unknown[] = []
    for (const useSnapshot of [true, false]) {
      using folder = testFolder()
      await using db = await openTestPglite({ dataDir: folder.path, useSnapshot })
      await migrate(db, { mode: 'auto', ...edge })
      seen.push(await db.many(tables))
      await db.close()
    }
    expect(seen[0]).toEqual(seen[1])
  })

  it('begins anew when the last first start was cut short', async () => {
    using folder = testFolder()
    mkdirSync(join(folder.path, 'pgdata.new', 'base'), { recursive: true })
    writeFileSync(join(folder.path, 'pgdata.new', 'PG_VERSION'), 'half')
    await using db = await openTestPglite({ dataDir: folder.path })
    await db.ping()
    expect(readdirSync(folder.path).sort()).toEqual(['lock', 'pgdata'])
  })
})
