/**
 * `lsk_<id>_<secret>`: the id finds the row, the secret proves the caller. The secret is 256 random bits, so its plain SHA-256 is
 * enough at rest: nobody can try that many, and a slow hash (made for passwords that people choose) would only slow every request.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '@lockstep/base'

export const KEY_PREFIX = 'lsk_'
const FORM = /^lsk_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/
const SECRET_BYTES = 32

export interface IssuedKey {
  /** Shown once, kept nowhere. */
  readonly key: string
  readonly hash: string
}

export function issueKey(id: string, random: Random): IssuedKey {
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')
  return { key: `${KEY_PREFIX}${id.replaceAll('-', '')}_${secret}`, hash: hashOf(secret) }
}

/** `undefined`: it cannot be a key of ours, which needs no look into the store. */
export function parseKey(text: string): { readonly id: string; readonly hash: string } | undefined {
  const found = FORM.exec(text)
  if (found === null) return undefined
  const id = found[1]!.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { id, hash: hashOf(found[2]!) }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Takes the same time whatever the difference is. Both are hashes of one kind. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]
  return left.length === right.length && left.length > 0 && timingSafeEqual(left, right)
}
