import type { LimitDocument } from '../graph/document.ts'
import { DEFAULT_TENANT } from '../start/start-request.ts'
import { checkKey, resolveLimit } from '../step/step-policies.ts'
import type { LimitStore, StoredLimit } from '../store/limit-store.ts'

export type LimitSetting = Omit<LimitDocument, 'key'>

interface OfTenant {
  readonly tenant?: string
}

/** Limits of steps, as operators see and change them. What is set here counts for all nodes from the next attempt on. */
export class Limits {
  readonly #store: LimitStore
  readonly #onChanged: () => void

  constructor(store: LimitStore, onChanged: () => void) {
    this.#store = store
    this.#onChanged = onChanged
  }

  /** Replaces what steps with this key declare; `undefined` lets that count again. Attempts that run already go on. */
  async set(key: string, setting: LimitSetting | undefined, { tenant = DEFAULT_TENANT }: OfTenant = {}): Promise<void> {
    checkKey('key', key)
    await this.#store.set(tenant, key, setting && resolveLimit(setting, 'setting'))
    this.#onChanged()
  }

  /** `undefined`: nobody ever asked for this key, or set it. */
  get(key: string, { tenant = DEFAULT_TENANT }: OfTenant = {}): Promise<StoredLimit | undefined> {
    return this.#store.get(tenant, checkKey('key', key))
  }

  /** By key. */
  list({
    tenant = DEFAULT_TENANT,
    after = '',
    limit = 100,
  }: OfTenant & PageOfKeys = {}): Promise<readonly StoredLimit[]> {
    return this.#store.list(tenant, after, Math.min(limit, MOST_LISTED))
  }
}

export interface PageOfKeys {
  /** The last key of the page before. */
  readonly after?: string
  /** At most 1,000. @default 100 */
  readonly limit?: number
}

export const MOST_LISTED = 1_000
