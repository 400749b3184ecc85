import type { Clock, Logger } from '@lockstep/base'
import { gatheredBus, type OpenWakeBus, silentBus } from '@lockstep/coordination'
import type { Db } from '../db/db.ts'
import { notify } from '../db/notify.sql.ts'

const CHANNEL = 'lockstep_wake'

/** Wake-ups over LISTEN and NOTIFY. An embedded database has one process: nobody else is there. */
export async function postgresWakeBus(db: Db, clock: Clock, logger: Logger): Promise<OpenWakeBus> {
  if (db.kind === 'pglite') return { ...silentBus, close: async () => undefined }
  return gatheredBus({
    clock,
    logger,
    open: async ({ hear, gap }) => {
      let isDeaf = false
      const subscription = await db.listen(CHANNEL, {
        onMessage: hear,
        onResync: () => {
          isDeaf = false
          gap()
        },
        onLoss: () => {
          isDeaf = true
        },
      })
      return {
        send: (payload) => db.lane('control').run(notify, { channel: CHANNEL, payload }),
        isDeaf: () => isDeaf,
        close: () => subscription.close(),
      }
    },
  })
}
