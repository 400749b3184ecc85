import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import type { WakeBus } from '@lockstep/engine/ports'
import type { Db, Subscription } from '../db/db.ts'
import { notify } from '../db/notify.sql.ts'

const CHANNEL = 'lockstep_wake'
/** Wake-ups of one process that leave together: a commit that notifies holds a lock of the whole server. */
const GATHER_MS = 10
const MOST_TOPICS = 100

/** Wake-ups over LISTEN and NOTIFY, gathered. Whatever is lost costs latency only. */
export async function postgresWakeBus(
  db: Db,
  clock: Clock,
  logger: Logger,
): Promise<WakeBus & { close(): Promise<void> }> {
  const listeners = new Set<(topic: string) => void>()
  let topics = new Set<string>()
  const tell = (topic: string): void => {
    for (const listener of listeners) listener(topic)
  }
  const subscription: Subscription | undefined =
    db.kind === 'pglite'
      ? undefined
      : await db.listen(CHANNEL, {
          onMessage: (payload) => payload.split(',').forEach(tell),
          onResync: () => tell('due'),
        })

  const send = (): void => {
    const payload = topics.size > MOST_TOPICS ? 'due' : [...topics].join(',')
    topics = new Set()
    db.lane('control')
      .run(notify, { channel: CHANNEL, payload })
      .catch((error: unknown) => logger.debug('wake-up not sent', { reason: errorMessage(error) }))
  }
  return {
    publish: (topic) => {
      if (subscription === undefined) return // embedded: nobody else is there
      if (topics.size === 0) clock.schedule(GATHER_MS, send)
      topics.add(topic)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      listeners.clear()
      await subscription?.close()
    },
  }
}
