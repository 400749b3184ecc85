import {
  type ContractOptions,
  fenceCheckerContract,
  healthProviderContract,
  leaseProviderContract,
  lockRegistryContract,
  memberProviderContract,
  type OpenCoordination,
} from '@lockstep/testing/contracts'
import type { ServerHandle } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Db, migrate } from '../../src/index.ts'
import { edge, emptyDatabase, openTestPostgres, startTestServer } from '../open-test-database.ts'
import { guardedColumn, guardRows } from './fenced-resource.ts'
import { migratedPglite, onPglite, onServer } from './open-coordination.ts'

const away = 'the database is part of this process: it is away when the process is'
const skip = {
  leases: [
    { test: 'raises the fence over a killed and restarted server', reason: away },
    { test: 'refuses while the store is away, and never guesses', reason: away },
  ],
  health: [{ test: 'says that the store is away when it is', reason: away }],
}

function portContracts(
  provider: string,
  open: OpenCoordination,
  leases: ContractOptions,
  health: ContractOptions,
): void {
  leaseProviderContract(provider, open, { ...leases, model: { sequences: 10, maxCommands: 40 } })
  lockRegistryContract(provider, open)
  memberProviderContract(provider, open)
  healthProviderContract(provider, open, health)
}

describe('on a server', () => {
  let server: ServerHandle
  let url: string
  let db: Db
  beforeAll(async () => {
    server = await startTestServer({ durable: true })
    url = await emptyDatabase(server)
    db = await openTestPostgres(url)
    await migrate(db, { mode: 'auto', ...edge })
  })
  afterAll(async () => {
    await db?.close()
    await server?.stop()
  })
  fenceCheckerContract('PostgreSQL guard row', () => guardRows(db))
  fenceCheckerContract('PostgreSQL fence column', () => guardedColumn(db))
  portContracts(
    'PostgreSQL',
    onServer(
      () => server,
      () => url,
    ),
    {},
    {},
  )
})

describe('embedded', () => {
  let db: Db
  beforeAll(async () => {
    db = await migratedPglite()
  })
  afterAll(() => db?.close())
  portContracts(
    'PGlite',
    onPglite(() => db),
    { skip: skip.leases },
    { skip: skip.health },
  )
  fenceCheckerContract('PGlite guard row', () => guardRows(db))
  fenceCheckerContract('PGlite fence column', () => guardedColumn(db))
})
