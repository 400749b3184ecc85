import { postgresBrowse } from '@lockstep/postgres'
import {
  dueAge,
  exposeSources,
  type NodeMetrics,
  type PoolStats,
  RoundTrips,
  type RoundTripTarget,
} from '@lockstep/server'
import type { Edge } from './open-database.ts'
import type { OpenNode } from './open-node.ts'
import type { NodeOptions } from './options/node-options.ts'
import { version } from './version.ts'

/** On which nobody listens: a message there only measures the way. */
const NOBODYS_CHANNEL = 'lockstep:round-trip'

/** Joins what a running node can tell with what it counts. Answers the measuring of round trips, to be stopped with the node. */
export function openMetrics(
  metrics: NodeMetrics,
  node: OpenNode,
  { clock, logger }: Edge,
  { clusterName: cluster }: NodeOptions,
): RoundTrips {
  const { rabbitmq, outbound } = node.outside
  const { redis } = outbound
  const targets: RoundTripTarget[] = [{ name: 'database', ping: () => node.db.ping() }]
  if (redis !== undefined)
    targets.push({
      name: 'redis',
      ping: async () => {
        const sent = await redis.publish(NOBODYS_CHANNEL, '', new AbortController().signal)
        if (sent.status !== 'sent') throw new Error(sent.reason)
      },
    })
  if (rabbitmq !== undefined) targets.push({ name: 'broker', ping: () => rabbitmq.ping() })
  const roundTrips = new RoundTrips(targets, clock, logger.area('round-trip'))
  exposeSources(metrics.registry, {
    node: { cluster, version },
    heldCount: () => node.engine.stats.heldCount,
    pools: () => [...node.db.stats(), ...poolOfLocks(node)],
    locks: () => node.openedLocks()?.monitor.stats(),
    caches: () => node.engine.caches.list(),
    streams: () => node.live.followerCount,
    dueAge: dueAge({ read: postgresBrowse(node.db).oldestDue, clock, logger: logger.area('metrics') }),
    roundTrips: () => roundTrips.latest,
  })
  roundTrips.run()
  return roundTrips
}

/** Locks on Redis have connections of their own: one for commands, one that listens. */
function poolOfLocks({ openedLocks }: OpenNode): readonly PoolStats[] {
  const found = openedLocks()?.connections()
  return found === undefined ? [] : [{ name: 'redis', ownedCount: 0, ...found }]
}
