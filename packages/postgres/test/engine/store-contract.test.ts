import { engineStoreContract } from '@lockstep/testing/contracts'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresEngineStore } from '../../src/engine/engine-store.ts'
import type { Db } from '../../src/index.ts'
import { emptyStore, openTestPglite, openTestPostgres, type TestDatabase } from './open-stores.ts'

const SEQUENCES = 60

/** One database for all: `open` empties it. */
const opener = (db: () => Db) => async () => {
  await emptyStore(db())
  return { store: postgresEngineStore(db()), close: async () => {} }
}

describe('on a server', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestPostgres()
  })
  afterAll(() => database?.close())
  engineStoreContract(
    'PostgreSQL',
    opener(() => database.db),
    { sequences: SEQUENCES },
  )
})

describe('embedded', () => {
  let db: Db
  beforeAll(async () => {
    db = await openTestPglite()
  })
  afterAll(() => db?.close())
  engineStoreContract(
    'PGlite',
    opener(() => db),
    { sequences: Math.ceil(SEQUENCES / 3) },
  )
})
