import { type Clock, InvalidOption, type Logger, type Random, silentLogger } from '@lockstep/base'
import type { CoordinationProvider } from '@lockstep/coordination'
import type { Db, LaneName } from '../db/db.ts'
import { postgresHealth } from './health-provider.ts'
import { leaseChannels } from './lease-channel.ts'
import { LeaseListeners } from './lease-listeners.ts'
import { postgresLeases } from './lease-provider.ts'
import { postgresLockRegistry } from './lock-registry.ts'
import { postgresMembers } from './member-provider.ts'
import { Sweeper } from './sweeper.ts'

export interface PostgresCoordinationOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger?: Logger
  /** Two namespaces never meet. @default 'lockstep' */
  readonly namespace?: string
  /** Whose connections carry the leases. @default 'control' */
  readonly lane?: LaneName
}

/** The coordination toolkit on a migrated database, on a server or embedded. It does not close `db`. */
export function postgresCoordination(db: Db, options: PostgresCoordinationOptions): CoordinationProvider {
  const { clock, random, logger = silentLogger, namespace = 'lockstep' } = options
  if (namespace.length === 0 || namespace.length > 200 || namespace.includes('\0'))
    throw new InvalidOption({ option: 'namespace', rule: '1 to 200 characters', value: namespace })
  const lane = db.lane(options.lane ?? 'control')
  const channelOf = leaseChannels(db.schema, namespace)
  const listeners = new LeaseListeners(db, channelOf, logger)
  const sweeper = new Sweeper({ lane, namespace, clock, random, logger })
  return {
    kind: 'postgres',
    grade: 'durable',
    leases: postgresLeases({ lane, namespace, channelOf, listeners }),
    registry: postgresLockRegistry(lane, namespace),
    members: postgresMembers(lane, namespace),
    health: postgresHealth({ db, clock, random }),
    lacks: [],
    async close() {
      await Promise.all([sweeper.stop(), listeners.close()])
    },
  }
}
