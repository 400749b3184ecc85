import { type Clock, errorMessage, type Logger, withTimeout } from '@lockstep/base'
import { Commands } from '../connection/commands.ts'
import { Link } from '../connection/link.ts'
import { linkRoute } from '../connection/link-route.ts'
import { openAddress } from '../connection/open-address.ts'
import { openCopy } from '../connection/open-copy.ts'
import { type RedisProviderOptions, resolveRedisOptions } from '../redis-options.ts'

export interface RedisCacheOptions extends RedisProviderOptions {
  /** How long a reader waits for an answer. @default 100 */
  readonly patienceMs?: number
  /** How long the server is not asked after it said nothing. @default 1_000 */
  readonly restMs?: number
}

/** Texts with a time to live, for all processes. Nothing throws: what is not there is `undefined`. */
export interface RedisCache {
  read(key: string): Promise<string | undefined>
  /** Does not wait for it. */
  write(key: string, text: string, ttlMs: number): void
  /** Forgets everything whose key begins like this. */
  clear(start: string): Promise<void>
  close(): Promise<void>
}

/** Larger texts are not worth their way. */
const LONGEST_TEXT = 1_000_000
const KEYS_PER_SCAN = '500'

/** A server that is away, slow or full is a cache that has nothing: it costs a reader `patienceMs` once in a while. */
export function redisCache(options: RedisCacheOptions): RedisCache {
  const { patienceMs = 100, restMs = 1_000 } = options
  const { clock, random, logger, prefix, silenceMs, source } = resolveRedisOptions(options)
  const open = 'address' in source ? openAddress(source.address) : openCopy(source.client)
  // Nobody waits for a connection that is just being made.
  const link = new Link({ open, clock, random, logger, graceMs: 0, openMs: silenceMs })
  const commands = new Commands({ clock, silenceMs, route: linkRoute(link) })
  const rest = restAfterFailure(clock, logger, restMs)
  const keyOf = (key: string): string => `${prefix}:{cache}:${key}`
  link.start()
  return {
    read: (key) =>
      rest(async () => {
        const asked = commands.send(['GET', keyOf(key)], 'read from the cache')
        asked.catch(() => undefined) // it may fail after we have stopped to wait
        const text = await withTimeout(clock, patienceMs, 'the cache', asked)
        return typeof text === 'string' ? text : undefined
      }),
    write: (key, text, ttlMs) => {
      if (text.length > LONGEST_TEXT) return
      void rest(() => commands.send(['SET', keyOf(key), text, 'PX', String(ttlMs)], 'write to the cache'))
    },
    clear: async (start) => {
      let cursor = '0'
      do {
        const scan = ['SCAN', cursor, 'MATCH', `${escaped(keyOf(start))}*`, 'COUNT', KEYS_PER_SCAN]
        const [next, keys] = (await commands.send(scan, 'clear the cache')) as [string, string[]]
        if (keys.length > 0) await commands.send(['UNLINK', ...keys], 'clear the cache')
        cursor = String(next)
      } while (cursor !== '0')
    },
    close: async () => {
      commands.close()
      await link.close()
    },
  }
}

/** Runs something that may fail; after a failure nothing runs for a while. */
function restAfterFailure(clock: Clock, logger: Logger, restMs: number) {
  let askAgainAt = Number.NEGATIVE_INFINITY
  return async <T>(run: () => Promise<T>): Promise<T | undefined> => {
    if (clock.monotonic() < askAgainAt) return undefined
    try {
      return await run()
    } catch (error) {
      askAgainAt = clock.monotonic() + restMs
      logger.debug('the cache in Redis says nothing', { reason: errorMessage(error) })
      return undefined
    }
  }
}

const escaped = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&')
