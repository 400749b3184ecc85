import { parseDuration } from '@lockstep/base'
import type { DurationText } from '../graph/document.ts'
import { DEFAULT_TENANT } from '../start/start-request.ts'
import { checkKey } from '../step/step-policies.ts'
import type { BreakerChange, BreakerStore, BreakerWait, StoredBreaker } from '../store/breaker-store.ts'
import type { Breakers } from './breakers.ts'
import { MOST_LISTED, type PageOfKeys } from './limits.ts'

const MOST_WAITING = 100

interface OfTenant {
  readonly tenant?: string
}

/** Kept with the change. */
interface ByHand {
  readonly reason?: string
  /** Who does it. */
  readonly by?: string | undefined
}

export interface BreakerControlOptions {
  readonly store: BreakerStore
  readonly breakers: Breakers
  /** Others should look again; these instances are due. */
  readonly onChanged: (woken: readonly string[]) => void
}

/** Breakers, as operators see and change them. One that never opened is not listed. */
export class BreakerControl {
  readonly #o: BreakerControlOptions

  constructor(options: BreakerControlOptions) {
    this.#o = options
  }

  list({
    tenant = DEFAULT_TENANT,
    after = '',
    limit = 100,
  }: OfTenant & PageOfKeys = {}): Promise<readonly StoredBreaker[]> {
    return this.#o.store.list(tenant, after, Math.min(limit, MOST_LISTED))
  }

  /** Steps that wait for them now: at most a hundred for each. */
  waiting(keys: readonly string[], { tenant = DEFAULT_TENANT }: OfTenant = {}): Promise<readonly BreakerWait[]> {
    return this.#o.store.waiting(
      keys.slice(0, MOST_LISTED).map((key) => ({ tenant, key })),
      MOST_WAITING,
    )
  }

  /** What became of them: the last twenty changes of each, newest first. */
  changes(keys: readonly string[], { tenant = DEFAULT_TENANT }: OfTenant = {}): Promise<readonly BreakerChange[]> {
    return this.#o.store.changes(keys.slice(0, MOST_LISTED).map((key) => ({ tenant, key })))
  }

  /** `undefined`: it never opened. */
  async get(key: string, { tenant = DEFAULT_TENANT }: OfTenant = {}): Promise<StoredBreaker | undefined> {
    const [found] = await this.#o.store.read([{ tenant, key: checkKey('key', key) }])
    return found
  }

  /** Closes it now, and wakes who waits for it. `false`: it never opened. */
  async reset(key: string, { tenant = DEFAULT_TENANT, ...note }: OfTenant & ByHand = {}): Promise<boolean> {
    const woken = await this.#o.store.reset({ tenant, key: checkKey('key', key) }, note)
    this.#o.breakers.forget()
    this.#o.onChanged(woken ?? [])
    return woken !== undefined
  }

  /** Opens it by hand for a time, whatever it was; then a probe is let through as ever. */
  async trip(
    key: string,
    { tenant = DEFAULT_TENANT, openFor, reason, by }: OfTenant & ByHand & { readonly openFor: DurationText },
  ): Promise<void> {
    const trip = {
      ...{ tenant, key: checkKey('key', key), openMs: Math.max(1, parseDuration(openFor)), needed: 1 },
      reason: reason ?? 'somebody opened it by hand',
    }
    await this.#o.store.trip(trip, undefined, { by })
    this.#o.breakers.forget()
    this.#o.onChanged([])
  }
}
