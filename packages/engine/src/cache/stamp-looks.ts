import type { Clock } from '@lockstep/base'
import type { InstanceReader } from '../store/instance-reader.ts'

export interface Look {
  /** `undefined`: there is no such instance. */
  readonly stamp: string | undefined
  /** When it was asked for, on the local clock: what it says was so at that moment or later. */
  readonly askedAt: number
}

interface Waiting {
  readonly ids: Set<string>
  readonly answer: Promise<ReadonlyMap<string, string>>
  askedAt: number
}

const MOST_AT_ONCE = 1_000

/**
 * Asks which states are still the current ones, for all readers of a node together: while one question is under way, those that come
 * gather for the next, which is sent after they came. So a look is never older than its reader, and a thousand readers are one query.
 */
export class StampLooks {
  readonly #instances: Pick<InstanceReader, 'stamps'>
  readonly #clock: Clock
  readonly #gathering = new Map<string, Waiting>()
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(instances: Pick<InstanceReader, 'stamps'>, clock: Clock) {
    this.#instances = instances
    this.#clock = clock
  }

  async look(tenant: string, instanceId: string): Promise<Look> {
    const waiting = this.#gatheringOf(tenant)
    waiting.ids.add(instanceId)
    const stamps = await waiting.answer
    return { stamp: stamps.get(instanceId), askedAt: waiting.askedAt }
  }

  #gatheringOf(tenant: string): Waiting {
    const present = this.#gathering.get(tenant)
    if (present !== undefined && present.ids.size < MOST_AT_ONCE) return present
    const before = this.#underWay.get(tenant)
    const ids = new Set<string>()
    const waiting: Waiting = { ids, askedAt: 0, answer: this.#ask(tenant, () => waiting, before) }
    this.#gathering.set(tenant, waiting)
    this.#underWay.set(tenant, waiting.answer)
    // Everybody who waits gets the error; that nobody does is no reason to end the process.
    waiting.answer.catch(() => undefined)
    return waiting
  }

  async #ask(
    tenant: string,
    own: () => Waiting,
    before: Promise<unknown> | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    await before?.catch(() => undefined)
    await Promise.resolve() // those of the same turn
    const waiting = own()
    if (this.#gathering.get(tenant) === waiting) this.#gathering.delete(tenant)
    waiting.askedAt = this.#clock.monotonic()
    try {
      return await this.#instances.stamps(tenant, [...waiting.ids])
    } finally {
      if (this.#underWay.get(tenant) === waiting.answer) this.#underWay.delete(tenant)
    }
  }
}
