import { abortable, errorMessage, isRetryable } from '@lockstep/base'
import type { SqlConnections } from '@lockstep/engine'
import { CommitUnknown, DatabaseRefused, type Db, openPostgres, type Statement } from '@lockstep/postgres'
import type { Edge } from '../open-database.ts'

export interface OuterDatabases extends SqlConnections {
  close(): Promise<void>
}

const LANES = { control: { size: 1 }, work: { size: 4 }, api: { size: 1 }, flush: { size: 1 } }

/** PostgreSQL servers besides our own, by name. Each is connected to when a step first asks for it. */
export function outerDatabases(urls: Readonly<Record<string, string>>, edge: Edge): OuterDatabases {
  const opened = new Map<string, Promise<Db>>()
  const open = (name: string): Promise<Db> => {
    const present = opened.get(name)
    if (present !== undefined) return present
    const logger = edge.logger.area('connection')
    const opening = openPostgres({
      ...{ ...edge, logger },
      url: urls[name] ?? '',
      applicationName: `lockstep connection ${name}`,
      schema: 'public',
      lanes: LANES,
    })
    opened.set(name, opening)
    opening.catch(() => opened.delete(name))
    return opening
  }
  return {
    names: Object.keys(urls).sort(),
    run: async (connection, work, signal) => {
      try {
        const db = await abortable(open(connection), signal)
        const value = db.transaction(async (tx) => {
          const result = await work({ query: (text, values = []) => tx.many(raw(text), values) })
          signal.throwIfAborted() // whoever gave up must not find it committed
          return result
        })
        return { status: 'answered', value: await abortable(value, signal) }
      } catch (error) {
        signal.throwIfAborted()
        if (DatabaseRefused.is(error))
          return { status: 'refused', sqlstate: error.details.sqlstate, reason: error.details.message }
        const unclear = CommitUnknown.is(error)
        if (unclear || isRetryable(error)) return { status: 'unavailable', reason: errorMessage(error), unclear }
        throw error
      }
    },
    close: async () => {
      const all = await Promise.allSettled(opened.values())
      await Promise.all(all.map(async (each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    },
  }
}

/** The author's own text, sent as it is. */
function raw<Row>(text: string): Statement<readonly unknown[], Row> {
  return { name: '', text, readOnly: false, bind: (values) => values }
}
