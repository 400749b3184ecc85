import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { SecretKey } from './secret-keys.ts'
import type { SealedSecret } from './secret-store.ts'

const CIPHER = 'aes-256-gcm'
export const NONCE_BYTES = 12
const TAG_BYTES = 16

type Place = Pick<SealedSecret, 'tenant' | 'name'>

/** Bound to its place: a row that was copied to another name or tenant does not open there. */
const placeOf = ({ tenant, name }: Place, keyId: string): Buffer =>
  Buffer.from(JSON.stringify(['lockstep secret 1', tenant, name, keyId]))

export function seal(
  key: SecretKey,
  place: Place,
  value: string,
  nonce: Uint8Array,
): Pick<SealedSecret, 'keyId' | 'nonce' | 'box'> {
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(placeOf(place, key.id))
  const box = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { keyId: key.id, nonce, box }
}

/** `undefined`: it was changed, or belongs to another place. */
export function unseal(key: SecretKey, { tenant, name, nonce, box }: SealedSecret): string | undefined {
  if (nonce.byteLength !== NONCE_BYTES || box.byteLength < TAG_BYTES) return undefined
  const opener = createDecipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES })
  opener.setAAD(placeOf({ tenant, name }, key.id))
  opener.setAuthTag(box.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([opener.update(box.subarray(0, -TAG_BYTES)), opener.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
