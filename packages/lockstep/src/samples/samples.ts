/** Sample workflows in a store that had nothing else, and a gentle hand that keeps them moving. */
import { errorMessage, type Timer } from '@lockstep/base'
import { DEFAULT_TENANT, type Engine } from '@lockstep/engine'
import type { BrowseStore } from '@lockstep/engine/ports'
import type { Edge } from '../open-database.ts'
import { sampleDocuments, sampleIds } from './sample-documents.ts'
import { sampleRun } from './sample-runs.ts'

export interface SamplesOptions extends Edge {
  readonly engine: Engine
  readonly browse: BrowseStore
  /** Where the node is reached, for links. */
  readonly url: string
  /** @default 10_000 */
  readonly everyMs?: number
  /** Instances in all, over all starts of the node: keys in the store count them. @default 300 */
  readonly most?: number
}

/** A link is good for as long as its question stands. */
const LINK_MS = 30 * 60_000
const LOOK_MS = 500
/** What the ids of all samples contain, and how many of such are looked at: others may be called so too. */
const SAMPLE_PREFIX = 'sample-'
const MOST_NAMED_SO = 100
const MOST_LOOKS = 20

export class Samples {
  readonly #o: Required<SamplesOptions>
  #timer: Timer | undefined
  #next = 1
  #stopped = false

  constructor(options: SamplesOptions) {
    this.#o = { everyMs: 10_000, most: 300, ...options }
  }

  /** Publishes into an empty store, and moves what it finds there. A store that had anything else before is left alone. */
  async begin(): Promise<void> {
    const unfinished = await this.#unfinished()
    if (unfinished !== undefined) await this.#publish(unfinished)
    await this.#turn()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /** Where an earlier start was cut off, it goes on. */
  async #publish(present: readonly string[]): Promise<void> {
    const { definitions } = this.#o.engine
    for (const document of sampleDocuments) {
      if (!present.includes(document.id)) await definitions.create(DEFAULT_TENANT, document)
      await definitions.publish(DEFAULT_TENANT, document.id)
    }
    const removal = '"lockstep samples remove" takes them away'
    this.#o.logger.info(`sample workflows published; ${removal}`, { count: sampleIds.length })
  }

  /** Those of ours in a store that has nothing else, and not all of them; else nothing. */
  async #unfinished(): Promise<readonly string[] | undefined> {
    const { rows } = await this.#o.browse.definitions(DEFAULT_TENANT, {}, {}, sampleIds.length + 1)
    const present = rows.map(({ id }) => id)
    const isOurs = present.every((id) => sampleIds.includes(id))
    return isOurs && present.length < sampleIds.length ? present : undefined
  }

  /** Those that may start: whoever removed them, or one of them, does not want to see it. */
  async #published(): Promise<readonly string[]> {
    const { rows } = await this.#o.browse.definitions(DEFAULT_TENANT, { text: SAMPLE_PREFIX }, {}, MOST_NAMED_SO)
    return rows.flatMap(({ id, published }) => (published !== undefined && sampleIds.includes(id) ? [id] : []))
  }

  async #turn(): Promise<void> {
    const { clock, logger, everyMs } = this.#o
    let more = true
    try {
      more = await this.#startNext(await this.#published())
    } catch (error) {
      logger.debug('a sample was not started', { reason: errorMessage(error) })
    }
    if (more && !this.#stopped) this.#timer = clock.schedule(everyMs, () => void this.#turn())
  }

  /** Starts the first one that never ran. `false`: all have, or none may. */
  async #startNext(published: readonly string[]): Promise<boolean> {
    const { engine, most } = this.#o
    if (published.length === 0) return false
    for (; this.#next <= most && !this.#stopped; this.#next += 1) {
      const { definitionId, input } = sampleRun(this.#next)
      if (!published.includes(definitionId)) continue
      const dedupeKey = `sample ${this.#next}`
      const { instanceId, created } = await engine.start({ definitionId, input, dedupeKey })
      if (!created) continue
      this.#next += 1
      if (definitionId === 'sample-approval') void this.#tellLink(instanceId)
      return true
    }
    return false
  }

  /** The question stands a moment after the start; whoever has the link answers it, once. */
  async #tellLink(instanceId: string): Promise<void> {
    const { engine, clock, logger, url } = this.#o
    for (let look = 0; look < MOST_LOOKS && !this.#stopped; look += 1) {
      const { waitingFor } = await engine.get(instanceId)
      const found = waitingFor[0] && (await engine.resumeTokens.issue(waitingFor[0].bookmarkId, { ttlMs: LINK_MS }))
      if (found !== undefined) {
        logger.info('a sample waits for an approval', { link: `${url}/resume/${found.token}` })
        return
      }
      await new Promise<void>((resolve) => clock.schedule(LOOK_MS, resolve))
    }
  }
}
