import { createHash } from 'node:crypto'
import { InvalidOption } from '@lockstep/base'

/** A key of 256 bits. Its id stands beside what it sealed, and says nothing of it. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Uint8Array
}

const BYTES = 32
/** Fewer different bytes than this are a placeholder and no key. */
const FEWEST_BYTES = 12
const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

/** Keys from text, with blanks, lines or commas between them: the first one seals, all of them open. Messages never repeat what was given. */
export function parseSecretKeys(text: string | undefined): readonly SecretKey[] {
  const keys = (text ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(keyOf)
  const twice = keys.find(({ id }, at) => keys.findIndex((other) => other.id === id) !== at)
  if (twice !== undefined) throw refuse(`different from each other, and ${twice.id} stands there twice`)
  return keys
}

function keyOf(text: string): SecretKey {
  const bytes = HEX.test(text)
    ? Buffer.from(text, 'hex')
    : Buffer.from(BASE64.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : '', 'base64')
  if (bytes.byteLength !== BYTES || new Set(bytes).size < FEWEST_BYTES)
    throw refuse(`keys of ${BYTES} random bytes each, as base64 or hex (make one with: openssl rand -base64 32)`)
  return { id: idOf(bytes), bytes }
}

/** The key itself decides its id: nobody can give two keys one name. */
const idOf = (bytes: Uint8Array): string =>
  createHash('sha256').update('lockstep secret key\0').update(bytes).digest('hex').slice(0, 12)

const refuse = (rule: string): Error => new InvalidOption({ option: 'secretKeys', rule })
