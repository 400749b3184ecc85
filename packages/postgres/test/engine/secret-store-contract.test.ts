import { secretStoreContract } from '@lockstep/testing/contracts'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Db, postgresSecrets } from '../../src/index.ts'
import { openTestPglite, openTestPostgres, type TestDatabase } from './open-stores.ts'

const opener = (db: () => Db) => async () => {
  await db().script('truncate secret')
  return postgresSecrets(db())
}

describe('on a server', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestPostgres()
  })
  afterAll(() => database?.close())
  secretStoreContract(
    'PostgreSQL',
    opener(() => database.db),
  )
})

describe('embedded', () => {
  let db: Db
  beforeAll(async () => {
    db = await openTestPglite()
  })
  afterAll(() => db?.close())
  secretStoreContract(
    'PGlite',
    opener(() => db),
  )
})
