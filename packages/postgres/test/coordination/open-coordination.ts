import { systemClock as clock, systemRandom as random, sleep } from '@lockstep/base'
import type { CoordinationProvider } from '@lockstep/coordination'
import type { CoordinationHarness, OpenCoordination } from '@lockstep/testing/contracts'
import type { ServerHandle } from '@lockstep/testing/harness'
import { type Db, migrate, openPglite, openPostgres, postgresCoordination, statement } from '../../src/index.ts'

const edge = { clock, random }
/** A row without holder or queue is a free name that the sweeper takes later. */
const rows = statement<undefined, { line: string }>(
  'test_lease_rows',
  () => [],
  `select 'lock ' || namespace || ' ' || name as line from lease_lock where token is not null or waiting > 0 union all
   select 'holder ' || namespace || ' ' || name || ' ' || token from lease_holder union all
   select 'waiter ' || namespace || ' ' || name || ' ' || token from lease_waiter union all
   select 'member ' || namespace || ' ' || id from coordination_member`,
)

/** Everything of leases but the sequence: what an operator who empties tables would do. */
export const emptyLeases = (db: Db): Promise<void> =>
  db.script(
    'truncate lease_lock, lease_holder, lease_waiter, lease_limit, lease_event, coordination_member, fence_guard',
  )

/** On a server that belongs to the file; each opening finds empty tables, each provider has connections of its own. */
export function onServer(server: () => ServerHandle, url: () => string): OpenCoordination {
  return async () => {
    const open: { provider: CoordinationProvider; db: Db }[] = []
    const another = async ({ namespace = 'contract' } = {}): Promise<CoordinationProvider> => {
      const db = await openPostgres({ ...edge, url: url() })
      const provider = postgresCoordination(db, { ...edge, namespace })
      open.push({ provider, db })
      return provider
    }
    const provider = await another()
    const { db } = open[0]!
    await emptyLeases(db)
    return {
      ...harness(provider, db, another),
      crash: () => server().kill9(),
      restart: () => server().start(),
      close: async () => {
        for (const each of open) {
          await each.provider.close()
          await each.db.close()
        }
      },
    }
  }
}

/** One database inside this process for all. */
export function onPglite(db: () => Db): OpenCoordination {
  return async () => {
    await emptyLeases(db())
    const open: CoordinationProvider[] = []
    const another = async ({ namespace = 'contract' } = {}): Promise<CoordinationProvider> => {
      const provider = postgresCoordination(db(), { ...edge, namespace })
      open.push(provider)
      return provider
    }
    const provider = await another()
    return {
      ...harness(provider, db(), another),
      close: async () => {
        for (const each of open) await each.close()
      },
    }
  }
}

function harness(
  provider: CoordinationProvider,
  db: Db,
  another: CoordinationHarness['another'],
): Omit<CoordinationHarness, 'close'> {
  return {
    provider,
    clock,
    time: 'real',
    another,
    elapse: (ms) => sleep(clock, ms),
    flush: () => emptyLeases(db),
    leftovers: async () => (await db.many(rows)).map((row) => row.line),
  }
}

export async function migratedPglite(): Promise<Db> {
  const db = await openPglite({ ...edge, memory: true })
  await migrate(db, { mode: 'auto', ...edge })
  return db
}
