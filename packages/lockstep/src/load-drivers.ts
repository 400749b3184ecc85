import type { NodeOptions } from './options/node-options.ts'

/** What speaks to servers that only some nodes have. Reading it takes longer than opening a store: only they read it. */
export interface Drivers {
  readonly redis: () => typeof import('@lockstep/redis')
  readonly rabbitmq: () => typeof import('@lockstep/rabbitmq')
  readonly mail: () => typeof import('./mail/smtp-mailer.ts')
}

export async function loadDrivers(options: NodeOptions): Promise<Drivers> {
  const { locks, bus, cache, redisUrl, rabbitmqUrl, mailUrl } = options
  const usesRedis = redisUrl !== undefined || [locks, bus, cache].includes('redis')
  const usesRabbitmq = rabbitmqUrl !== undefined || bus === 'rabbitmq'
  const [redis, rabbitmq, mail] = await Promise.all([
    usesRedis ? import('@lockstep/redis') : undefined,
    usesRabbitmq ? import('@lockstep/rabbitmq') : undefined,
    mailUrl === undefined ? undefined : import('./mail/smtp-mailer.ts'),
  ])
  return { redis: () => redis!, rabbitmq: () => rabbitmq!, mail: () => mail! }
}
