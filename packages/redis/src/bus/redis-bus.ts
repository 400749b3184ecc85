import { sleep, withTimeout } from '@lockstep/base'
import { type BusEars, gatheredBus, type OpenWakeBus } from '@lockstep/coordination'
import { Commands } from '../connection/commands.ts'
import { Link } from '../connection/link.ts'
import { linkRoute } from '../connection/link-route.ts'
import { openAddress } from '../connection/open-address.ts'
import { openCopy } from '../connection/open-copy.ts'
import { Subscriptions } from '../connection/subscriptions.ts'
import { type RedisProviderOptions, resolveRedisOptions } from '../redis-options.ts'

/** Between attempts to listen while the server is away; the connection itself has a back-off of its own. */
const LISTEN_AGAIN_MS = 500

/**
 * Wake-ups over publish and subscribe. Opening always succeeds: a server that is away is looked for until it is there, and whatever
 * was missed meanwhile is a gap that the listeners are told of.
 */
export function redisBus(options: RedisProviderOptions): Promise<OpenWakeBus> {
  const resolved = resolveRedisOptions(options)
  const { clock, random, logger, prefix, connectGraceMs: graceMs, silenceMs, source } = resolved
  const channel = `${prefix}:{bus}:wake`
  const open = 'address' in source ? openAddress(source.address) : openCopy(source.client)
  const newLink = (): Link => new Link({ open, clock, random, logger, graceMs, openMs: silenceMs })
  const outgoing = newLink()
  const commands = new Commands({ clock, silenceMs, route: linkRoute(outgoing) })
  const subscriptions = new Subscriptions({ link: newLink(), clock, logger, silenceMs })
  const stop = new AbortController()

  const listen = async ({ hear, gap }: BusEars): Promise<void> => {
    for (let attempt = 1; !stop.signal.aborted; attempt += 1) {
      try {
        await subscriptions.add(channel, { onMessage: hear, onGap: gap })
        if (attempt > 1) gap()
        return
      } catch {
        await sleep(clock, LISTEN_AGAIN_MS, stop.signal).catch(() => undefined)
      }
    }
  }
  return gatheredBus({
    clock,
    logger,
    open: async (ears) => {
      outgoing.start()
      const listening = listen(ears)
      // As long as a server that is there takes to answer, and no longer than the grace for one that is not.
      await withTimeout(clock, graceMs, 'listening', listening).catch(() => undefined)
      return {
        send: (message) => commands.send(['PUBLISH', channel, message], 'publish'),
        isDeaf: () => subscriptions.state !== 'open',
        close: async () => {
          stop.abort()
          commands.close()
          await Promise.all([subscriptions.close(), outgoing.close(), listening])
        },
      }
    },
  })
}
