import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ServerHandle } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Db, migrate, type Statement } from '../src/index.ts'
import { edge, emptyDatabase, openTestPglite, openTestPostgres, startTestServer } from './open-test-database.ts'

type AnyStatement = Statement<never, unknown>

const source = fileURLToPath(new URL('../src/', import.meta.url))
const modules = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.sql.ts'))
  .sort()
const statements: AnyStatement[] = []
for (const file of modules) {
  const exported = Object.values((await import(source + file)) as Record<string, unknown>)
  statements.push(...exported.filter(isStatement))
}

function isStatement(value: unknown): value is AnyStatement {
  return typeof value === 'object' && value !== null && 'text' in value && 'bind' in value && 'name' in value
}

describe('the statements of this package', () => {
  it('are found, and no two share a name', () => {
    expect(statements.length).toBeGreaterThan(5)
    expect(statements.map((each) => each.name).filter((name, index, names) => names.indexOf(name) !== index)).toEqual(
      [],
    )
  })
})

describe.each(['postgres', 'pglite'] as const)('on a migrated %s', (driver) => {
  let server: ServerHandle | undefined
  let db: Db
  beforeAll(async () => {
    server = driver === 'postgres' ? await startTestServer() : undefined
    db = server === undefined ? await openTestPglite() : await openTestPostgres(await emptyDatabase(server))
    await migrate(db, { mode: 'auto', ...edge })
  })
  afterAll(async () => {
    await db?.close()
    await server?.stop()
  })

  it.each(statements.map((each) => [each.name, each] as const))('%s can be prepared', async (name, { text }) => {
    await db.transaction((tx) => tx.script(`prepare "test ${name}" as ${text}`))
  })
})
