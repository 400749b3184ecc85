import type { CoordinationProvider } from '@lockstep/coordination'
import { type CommandRoute, Commands } from './connection/commands.ts'
import { Link } from './connection/link.ts'
import { linkRoute } from './connection/link-route.ts'
import { openAddress } from './connection/open-address.ts'
import { openCopy } from './connection/open-copy.ts'
import type { RedisClient } from './connection/redis-client.ts'
import { isReady, sendWith } from './connection/send-with.ts'
import { Subscriptions } from './connection/subscriptions.ts'
import { redisHealth } from './health/health-provider.ts'
import { KeySpace } from './key/key-space.ts'
import { redisLeases } from './lease/lease-provider.ts'
import { redisMembers } from './member/member-provider.ts'
import { IndexWeeder } from './monitor/index-weeder.ts'
import { redisLockRegistry } from './monitor/lock-registry-provider.ts'
import { type RedisProviderOptions, type ResolvedOptions, resolveRedisOptions } from './redis-options.ts'

/**
 * Leases, members and health on one Redis server. Opening always succeeds: it connects by itself, now or later, and
 * refuses with `PROVIDER_UNAVAILABLE` meanwhile.
 */
export function redisProvider(options: RedisProviderOptions): CoordinationProvider {
  const resolved = resolveRedisOptions(options)
  const { clock, random, logger, connectGraceMs: graceMs, silenceMs, source } = resolved
  const open = 'address' in source ? openAddress(source.address) : openCopy(source.client)
  const { route, close: closeRoute } = 'address' in source ? ownRoute(resolved) : clientRoute(source.client)
  const commands = new Commands({ route, clock, silenceMs })
  const listening = new Link({ open, clock, random, logger, graceMs, openMs: silenceMs })
  const subscriptions = new Subscriptions({ link: listening, clock, logger, silenceMs })
  const space = new KeySpace(resolved.prefix)
  const weeder = new IndexWeeder(space, commands)
  const context = { clock, space, commands, subscriptions, weeder }
  let closing: Promise<void> | undefined
  return {
    kind: 'redis',
    grade: 'volatile',
    leases: redisLeases(context),
    registry: redisLockRegistry(context),
    members: redisMembers(context),
    health: redisHealth(context),
    lacks: [],
    connections: () => ({
      openCount: [route, listening].filter(({ connection }) => connection !== undefined).length,
      inFlightCount: commands.inFlightCount,
      waitingCount: commands.waitingCount,
    }),
    close() {
      closing ??= (async () => {
        commands.close()
        await Promise.all([subscriptions.close(), closeRoute()])
      })()
      return closing
    },
  }
}

interface OpenRoute {
  readonly route: CommandRoute
  close(): Promise<void>
}

function ownRoute({ source, clock, random, logger, connectGraceMs, silenceMs }: ResolvedOptions): OpenRoute {
  if (!('address' in source)) throw new TypeError('an address is needed')
  const link = new Link({
    open: openAddress(source.address),
    clock,
    random,
    logger,
    graceMs: connectGraceMs,
    openMs: silenceMs,
  })
  link.start()
  return { route: linkRoute(link), close: () => link.close() }
}

/** It connects and reconnects as its owner told it to; while it is not ready, calls are refused at once. */
function clientRoute(client: RedisClient): OpenRoute {
  const connection = { send: sendWith(client) }
  const route: CommandRoute = {
    get connection() {
      return isReady(client) ? connection : undefined
    },
    lastError: undefined,
    whenOpen: async () => undefined,
    onSilence: () => {},
  }
  return { route, close: async () => {} }
}
