import type { Random } from '@lockstep/base'
import { SecretUnusable } from '../outbound/errors.ts'
import type { BoundSecret } from '../outbound/secrets.ts'
import { SecretKeysMissing } from './errors.ts'
import { NONCE_BYTES, seal, unseal } from './seal.ts'
import type { SecretKey } from './secret-keys.ts'
import type { SealedSecret, SecretPlaceInList, SecretRecord, SecretStore } from './secret-store.ts'

export interface SecretVaultOptions {
  readonly store: SecretStore
  /** The first one seals, all of them open. None: nothing can be set or read. */
  readonly keys: readonly SecretKey[]
  readonly random: Random
}

export interface Rotation {
  /** Sealed anew with the first key. */
  readonly resealed: number
  /** Left as they are: this node has no key that opens them. */
  readonly unreadable: readonly Pick<SecretRecord, 'tenant' | 'name' | 'keyId'>[]
  /** Where the next round goes on; absent: all have been seen. */
  readonly next: Pick<SecretRecord, 'tenant' | 'name'> | undefined
}

/** Named values of each tenant that steps use and nobody reads back. */
export class SecretVault {
  readonly #o: SecretVaultOptions
  readonly #keys: ReadonlyMap<string, SecretKey>

  constructor(options: SecretVaultOptions) {
    this.#o = options
    this.#keys = new Map(options.keys.map((key) => [key.id, key]))
  }

  /** Of the key that seals; absent: there is none. */
  get keyId(): string | undefined {
    return this.#o.keys[0]?.id
  }

  /** `hosts`: where it may be sent, none for anywhere; absent: as it was. */
  set(
    tenant: string,
    name: string,
    { value, hosts }: { readonly value: string; readonly hosts?: readonly string[] | undefined },
    by: string,
  ): Promise<SecretRecord> {
    const sealed = this.#seal({ tenant, name }, value)
    return this.#o.store.put({ tenant, name, ...sealed, ...(hosts !== undefined && { hosts }) }, by)
  }

  list(place: SecretPlaceInList): Promise<readonly SecretRecord[]> {
    return this.#o.store.list(place)
  }

  remove(tenant: string, name: string): Promise<boolean> {
    return this.#o.store.remove(tenant, name)
  }

  /** For steps alone. `undefined`: there is none of this name. */
  async read(tenant: string, name: string): Promise<BoundSecret | undefined> {
    const sealed = await this.#o.store.find(tenant, name)
    return sealed && { value: this.#open(sealed), hosts: sealed.hosts }
  }

  /** One bounded round. What gets a new value meanwhile is sealed with the first key anyway. */
  async rotate(after: Rotation['next'], limit: number): Promise<Rotation> {
    if (this.keyId === undefined) throw new SecretKeysMissing({})
    const found = await this.#o.store.sealedOtherwise(this.keyId, after, limit)
    const unreadable: SealedSecret[] = []
    let resealed = 0
    for (const sealed of found) {
      const key = this.#keys.get(sealed.keyId)
      const value = key && unseal(key, sealed)
      if (value === undefined) unreadable.push(sealed)
      else if (await this.#o.store.reseal({ ...sealed, ...this.#seal(sealed, value) })) resealed += 1
    }
    const last = found.length < limit ? undefined : found.at(-1)
    return {
      resealed,
      unreadable: unreadable.map(({ tenant, name, keyId }) => ({ tenant, name, keyId })),
      next: last && { tenant: last.tenant, name: last.name },
    }
  }

  #seal(place: Pick<SealedSecret, 'tenant' | 'name'>, value: string): Pick<SealedSecret, 'keyId' | 'nonce' | 'box'> {
    const [key] = this.#o.keys
    if (key === undefined) throw new SecretKeysMissing({})
    return seal(key, place, value, this.#o.random.bytes(NONCE_BYTES))
  }

  #open(sealed: SealedSecret): string {
    const { name, keyId } = sealed
    const key = this.#keys.get(keyId)
    if (key === undefined)
      throw new SecretUnusable({
        name,
        why: `was sealed with key ${keyId}, which this node does not have: add that key to LOCKSTEP_SECRET_KEYS, or set the secret anew`,
      })
    const value = unseal(key, sealed)
    if (value === undefined)
      throw new SecretUnusable({ name, why: 'was changed in the store and does not open: set it anew' })
    return value
  }
}
