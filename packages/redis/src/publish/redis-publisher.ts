import { abortable, errorMessage } from '@lockstep/base'
import { Commands } from '../connection/commands.ts'
import { Link } from '../connection/link.ts'
import { linkRoute } from '../connection/link-route.ts'
import { openAddress } from '../connection/open-address.ts'
import { openCopy } from '../connection/open-copy.ts'
import { type RedisProviderOptions, resolveRedisOptions } from '../redis-options.ts'

export interface RedisPublisher {
  /** To whoever listens at this moment. The channel is taken as it is, without a prefix. */
  publish(channel: string, message: string, signal?: AbortSignal): Promise<RedisPublished>
  close(): Promise<void>
}

export type RedisPublished =
  | { readonly status: 'sent'; readonly receivers: number }
  /** It may have been sent nevertheless. */
  | { readonly status: 'unavailable'; readonly reason: string }

/** Publishes on a connection of its own, which is opened by the first message. */
export function redisPublisher(options: RedisProviderOptions): RedisPublisher {
  const { clock, random, logger, connectGraceMs: graceMs, silenceMs, source } = resolveRedisOptions(options)
  const open = 'address' in source ? openAddress(source.address) : openCopy(source.client)
  const link = new Link({ open, clock, random, logger, graceMs, openMs: silenceMs })
  const commands = new Commands({ clock, silenceMs, route: linkRoute(link) })
  return {
    publish: async (channel, message, signal) => {
      link.start()
      try {
        const receivers = await abortable(commands.send(['PUBLISH', channel, message], 'publish'), signal)
        return { status: 'sent', receivers: Number(receivers) }
      } catch (error) {
        signal?.throwIfAborted()
        const { cause = error } = error as { readonly cause?: unknown }
        return { status: 'unavailable', reason: errorMessage(cause) }
      }
    },
    close: async () => {
      commands.close()
      await link.close()
    },
  }
}
