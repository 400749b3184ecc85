import type { Clock } from '@lockstep/base'
import type { ApiKeyRecord, ApiKeyStore } from '@lockstep/engine/ports'
import { sameHash } from './api-key.ts'
import { grantedTo, type Principal } from './principal.ts'

/** For how long a key that was revoked on another node may still be let in here. */
const TRUST_MS = 2_000
const MOST = 1_000

interface Known {
  readonly hash: string
  readonly principal: Principal
  readonly until: number
}

/** Keys that were good a moment ago: a busy caller costs one look into the store every two seconds, not one a request. */
export class KnownKeys {
  readonly #store: ApiKeyStore
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()

  constructor(store: ApiKeyStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async find(id: string, hash: string): Promise<Principal | undefined> {
    const known = this.#known.get(id)
    const now = this.#clock.monotonic()
    if (known !== undefined && known.until > now) return sameHash(known.hash, hash) ? known.principal : undefined
    const row = await this.#store.find(id)
    if (row === undefined || !row.live || !sameHash(row.hash, hash)) return undefined
    const principal = toPrincipal(row)
    if (this.#known.size >= MOST) this.#known.clear()
    this.#known.set(id, { hash, principal, until: now + this.#trustMs(row) })
    await this.#store.used(id)
    return principal
  }

  forget(id: string): void {
    this.#known.delete(id)
  }

  /** Never beyond its end. */
  #trustMs({ expiresAt }: ApiKeyRecord): number {
    return expiresAt === undefined ? TRUST_MS : Math.min(TRUST_MS, Math.max(0, expiresAt - this.#clock.now()))
  }
}

function toPrincipal({ id, name, tenant, role, permissions }: ApiKeyRecord): Principal {
  const granted = grantedTo(role, permissions)
  return { kind: 'key', id: `key:${id}`, name, tenant, role: role as Principal['role'], permissions: granted }
}
