import type { Outbound } from '@lockstep/engine'
import type { Rabbitmq } from '@lockstep/rabbitmq'
import type { Drivers } from './load-drivers.ts'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'
import { outerDatabases } from './outside/outer-databases.ts'

/** What the steps of one node may use outside of it. Nothing is connected to before a step asks for it. */
export interface OpenOutside {
  readonly outbound: Outbound
  readonly rabbitmq: Rabbitmq | undefined
  close(): Promise<void>
}

export function openOutside(options: NodeOptions, edge: Edge, drivers: Drivers): OpenOutside {
  const {
    outboundAllow: allow,
    outboundTenants: tenants,
    ownDatabase,
    mailUrl,
    mailFrom,
    redisUrl,
    rabbitmqUrl,
    connections: urls,
  } = options
  const { clock, logger } = edge
  const broker =
    rabbitmqUrl === undefined ? undefined : drivers.rabbitmq().rabbitmq({ url: rabbitmqUrl, clock, logger })
  const redis = redisUrl === undefined ? undefined : drivers.redis().redisPublisher({ url: redisUrl, ...edge })
  const connections = outerDatabases(urls, edge)
  return {
    outbound: {
      allow,
      tenants,
      ownDatabase,
      mailer: mailUrl === undefined ? undefined : drivers.mail().smtpMailer({ url: mailUrl, from: mailFrom }),
      redis,
      rabbitmq: broker && { publish: (message, signal) => broker.publish(message, signal) },
      connections,
    },
    rabbitmq: broker,
    close: async () => {
      await Promise.all([broker?.close(), redis?.close(), connections.close()])
    },
  }
}
