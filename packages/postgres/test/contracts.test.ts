import { migrate } from '../src/index.ts'
import { dbContract } from './db-contract.ts'
import {
  edge,
  emptyDatabase,
  openTestPglite,
  openTestPostgres,
  startTestServer,
  testFolder,
} from './open-test-database.ts'

dbContract('postgres', async () => {
  const server = await startTestServer()
  const url = await emptyDatabase(server)
  await using db = await openTestPostgres(url)
  await migrate(db, { mode: 'auto', ...edge })
  return { open: (options) => openTestPostgres(url, options), close: () => server.stop() }
})

dbContract(
  'pglite',
  async () => {
    const folders = [testFolder()]
    return {
      async open(options = {}) {
        const folder = testFolder()
        folders.push(folder)
        const db = await openTestPglite({ dataDir: folder.path, ...options })
        await migrate(db, { mode: 'auto', ...edge })
        return db
      },
      async close() {
        for (const folder of folders) folder[Symbol.dispose]()
      },
    }
  },
  {
    concurrentTransactions: 'one session: transactions run one after the other and cannot clash',
    interruptedStatements: 'a statement runs to its end, only its caller is told',
  },
)
