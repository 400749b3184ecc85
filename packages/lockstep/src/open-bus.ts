import { type OpenWakeBus, silentBus } from '@lockstep/coordination'
import { type Db, postgresWakeBus } from '@lockstep/postgres'
import type { Drivers } from './load-drivers.ts'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/** Wake-ups of one node, over what its options name. A server that is away is no reason not to start. */
export async function openBus(options: NodeOptions, edge: Edge, db: Db, drivers: Drivers): Promise<OpenWakeBus> {
  const { bus, redisUrl = '', rabbitmqUrl = '', redisPrefix: prefix } = options
  const logger = edge.logger.area('bus')
  switch (bus) {
    case 'postgres':
      return postgresWakeBus(db, edge.clock, logger)
    case 'redis':
      return drivers.redis().redisBus({ ...edge, logger, url: redisUrl, prefix })
    case 'rabbitmq':
      return drivers.rabbitmq().rabbitmqBus({ clock: edge.clock, logger, url: rabbitmqUrl, prefix })
    case 'memory': // one process: whoever publishes has woken itself already
      return { ...silentBus, close: async () => undefined }
  }
}
