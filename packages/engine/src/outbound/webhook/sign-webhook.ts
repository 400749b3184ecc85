/**
 * Signatures as the Standard Webhooks specification has them: HMAC-SHA256 over `id.timestamp.body`, so that neither of the three can be
 * exchanged, and a receiver can refuse what is old. The id stays the same when a delivery is repeated, the timestamp does not.
 */
import { createHmac } from 'node:crypto'
import { SecretUnusable } from '../errors.ts'

export const ID_HEADER = 'webhook-id'
export const TIMESTAMP_HEADER = 'webhook-timestamp'
export const SIGNATURE_HEADER = 'webhook-signature'

const PREFIX = 'whsec_'
const SHORTEST_KEY = 16

/** `whsec_` and base64, as generators of such secrets write them, or any text. */
export function webhookKey(secret: string, name = 'webhook'): Uint8Array {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
  if (key.byteLength < SHORTEST_KEY)
    throw new SecretUnusable({ name, why: `is too short to sign with: use at least ${SHORTEST_KEY} random bytes` })
  return key
}

/** `v1,` and base64. */
export function webhookSignature(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${hmac.digest('base64')}`
}
