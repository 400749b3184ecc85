import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { memoryBus } from '@lockstep/coordination'
import { openPostgres, postgresWakeBus } from '@lockstep/postgres'
import { wakeBusContract } from '@lockstep/testing/contracts'
import { cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

wakeBusContract('memory', async () => ({ ...memoryBus(edge), close: async () => undefined }))

wakeBusContract('PostgreSQL', async () => {
  const database = await cloneDatabase(inject('postgres'))
  const opened: { close(): Promise<void> }[] = []
  return {
    connect: async () => {
      const db = await openPostgres({ url: database.url, ...edge })
      opened.push(db)
      return postgresWakeBus(db, systemClock, silentLogger)
    },
    close: async () => {
      await Promise.all(opened.map((db) => db.close()))
      await database.drop()
    },
  }
})
