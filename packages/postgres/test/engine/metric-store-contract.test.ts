import { type MetricStoreHarness, metricStoreContract } from '@lockstep/testing/contracts'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Db, postgresMetrics, statement } from '../../src/index.ts'
import { openTestPglite, openTestPostgres, type TestDatabase } from './open-stores.ts'

const age = statement<{ ms: number }>(
  'test_age_readings',
  (p) => [p.ms],
  `update metric_reading set at = at - $1::float8 * interval '1 millisecond'`,
)
const count = statement<undefined, { rows: string }>(
  'test_count_readings',
  () => [],
  'select count(*) as rows from metric_reading',
)

const opener = (db: () => Db) => async (): Promise<MetricStoreHarness> => {
  await db().script('truncate metric_reading')
  return {
    store: postgresMetrics(db()),
    age: async (ms) => void (await db().run(age, { ms })),
    rows: async () => Number((await db().one(count)).rows),
  }
}

describe('on a server', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestPostgres()
  })
  afterAll(() => database?.close())
  metricStoreContract(
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
  metricStoreContract(
    'PGlite',
    opener(() => db),
  )
})
