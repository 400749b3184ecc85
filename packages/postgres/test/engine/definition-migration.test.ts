import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Db, statement } from '../../src/index.ts'
import { emptyStore, openTestPglite, openTestPostgres, type TestDatabase } from './open-stores.ts'

const migration = readFileSync(new URL('../../migrations/0009_definitions.sql', import.meta.url), 'utf8')
const backfill = /^do \$\$[\s\S]*?^end \$\$;/m.exec(migration)![0]

const addVersion = statement<{ id: string; document: string }>(
  'test_add_version',
  (p) => [p.id, p.document],
  `insert into definition_version (id, version, tenant, hash, document) values ($1, 1, 'acme', 'h', $2)`,
)
const references = statement<undefined, { id: string; target_id: string }>(
  'test_references',
  () => [],
  'select id, target_id from definition_reference order by id, target_id',
)
const run = (definitionId: unknown, type = 'run-workflow') => ({ id: 'r', type, inputs: { definitionId } })

describe.each(['postgres', 'pglite'] as const)('migration 0009 on %s', (driver) => {
  let db: Db
  let opened: TestDatabase | undefined
  beforeAll(async () => {
    opened = driver === 'postgres' ? await openTestPostgres() : undefined
    db = opened?.db ?? (await openTestPglite())
    await emptyStore(db)
  })
  afterAll(async () => {
    if (opened === undefined) await db.close()
    else await opened.close()
  })

  it('finds who runs whom in the versions that are there, and leaves out what it cannot read', async () => {
    const add = (id: string, ...activities: unknown[]) =>
      db.run(addVersion, { id, document: JSON.stringify({ id, activities }) })
    await add('flat', run('x'), run('x'), run('y', 'bulk-run'), run('no', 'log'), run({ $expr: 'input.z' }))
    await add('nested', {
      id: 'p',
      type: 'parallel',
      branches: [{ activities: [{ id: 't', type: 'try', catch: { activities: [run('x')] } }] }],
    })
    await add('nul', run('\u0000'), run('x'))
    await add('none')
    await db.run(addVersion, {
      id: 'half',
      document: '{"activities":[{"type":"run-workflow","inputs":{"definitionId":"\\ud800"}}]}',
    })
    await db.script(backfill)
    expect(await db.many(references)).toEqual([
      { id: 'flat', target_id: 'x' },
      { id: 'flat', target_id: 'y' },
      { id: 'nested', target_id: 'x' },
    ])
  })
})
