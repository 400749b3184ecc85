import { errorMessage, type Logger } from '@lockstep/base'
import type { WakeBus } from '../worker/wake-bus.ts'
import type { CacheStats } from './cache-counters.ts'

/** A cache that can be looked into and emptied. */
export interface Cache {
  stats(): CacheStats
  /** Of this process alone. */
  clear(): void
  /** What all nodes share of it. */
  clearSecondTier?(): Promise<void>
}

const TOPIC = 'cache-clear-'

/** The caches of one node, by name. Clearing one is told to all nodes; who does not hear it is right all the same, as ever. */
export class Caches {
  readonly #caches: ReadonlyMap<string, Cache>
  readonly #bus: WakeBus
  readonly #logger: Logger
  #unsubscribe: () => void = () => {}

  constructor(options: { readonly caches: readonly Cache[]; readonly bus: WakeBus; readonly logger: Logger }) {
    this.#caches = new Map(options.caches.map((cache) => [cache.stats().name, cache]))
    this.#bus = options.bus
    this.#logger = options.logger
  }

  run(): void {
    this.#unsubscribe = this.#bus.subscribe((topic) => {
      if (topic.startsWith(TOPIC)) this.#caches.get(topic.slice(TOPIC.length))?.clear()
    })
  }

  stop(): void {
    this.#unsubscribe()
  }

  list(): readonly CacheStats[] {
    return [...this.#caches.values()].map((cache) => cache.stats())
  }

  /** `undefined`: there is no such cache. */
  async clear(name: string): Promise<CacheStats | undefined> {
    const cache = this.#caches.get(name)
    if (cache === undefined) return undefined
    cache.clear()
    await cache.clearSecondTier?.().catch((error: unknown) => {
      this.#logger.warn('the second tier of a cache was not cleared', { cache: name, reason: errorMessage(error) })
    })
    this.#bus.publish(`${TOPIC}${name}`)
    return cache.stats()
  }
}
