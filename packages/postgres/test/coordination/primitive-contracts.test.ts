import { primitiveContracts } from '@lockstep/testing/contracts'
import type { ServerHandle } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Db, migrate } from '../../src/index.ts'
import { edge, emptyDatabase, openTestPostgres, startTestServer } from '../open-test-database.ts'
import { migratedPglite, onPglite, onServer } from './open-coordination.ts'

describe('on a server', () => {
  let server: ServerHandle
  let url: string
  beforeAll(async () => {
    server = await startTestServer({ durable: true })
    url = await emptyDatabase(server)
    await using db = await openTestPostgres(url)
    await migrate(db, { mode: 'auto', ...edge })
  })
  afterAll(() => server?.stop())
  primitiveContracts(
    'PostgreSQL',
    onServer(
      () => server,
      () => url,
    ),
  )
})

describe('embedded', () => {
  let db: Db
  beforeAll(async () => {
    db = await migratedPglite()
  })
  afterAll(() => db?.close())
  const away = 'the database is part of this process: it is away when the process is'
  primitiveContracts(
    'PGlite',
    onPglite(() => db),
    { skip: { mutex: [{ test: 'loses its leases, and refuses new ones, while the store is away', reason: away }] } },
  )
})
