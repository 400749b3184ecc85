/** A secret as it is kept: nobody can read it who has only the store. */
export interface SealedSecret {
  readonly tenant: string
  readonly name: string
  /** Names the key that it was sealed with. */
  readonly keyId: string
  readonly nonce: Uint8Array
  /** What AES-256-GCM made of the value, and its tag. */
  readonly box: Uint8Array
  /** Where it may be sent; none: anywhere. */
  readonly hosts: readonly string[]
  /** Rises with every value that it gets. */
  readonly revision: number
}

/** A value to be kept. Without `hosts` those of the value before it stay. */
export type NewSecret = Omit<SealedSecret, 'revision' | 'hosts'> & Partial<Pick<SealedSecret, 'hosts'>>

/** What may be told of a secret. */
export interface SecretRecord {
  readonly tenant: string
  readonly name: string
  readonly keyId: string
  readonly hosts: readonly string[]
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly updatedBy: string
}

export interface SecretPlaceInList {
  readonly tenant: string
  /** Name of the secret that the page lies behind. */
  readonly after: string | undefined
  readonly limit: number
}

/** Keeps sealed secrets by tenant and name. What is in them is the vault's to know. */
export interface SecretStore {
  /** Puts a value in the place of the one before it, if there was one. */
  put(secret: NewSecret, by: string): Promise<SecretRecord>
  find(tenant: string, name: string): Promise<SealedSecret | undefined>
  /** By name. */
  list(place: SecretPlaceInList): Promise<readonly SecretRecord[]>
  remove(tenant: string, name: string): Promise<boolean>
  /** Secrets of all tenants that were sealed with another key, those behind `after` in the order of tenant and name. */
  sealedOtherwise(
    keyId: string,
    after: Pick<SealedSecret, 'tenant' | 'name'> | undefined,
    limit: number,
  ): Promise<readonly SealedSecret[]>
  /** The same value under another key. `false`: it got another value meanwhile, or is gone; nothing was changed. */
  reseal(secret: SealedSecret): Promise<boolean>
}
