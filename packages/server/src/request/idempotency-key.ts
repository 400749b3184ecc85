import { InvalidRequest } from '../problem/request-errors.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The `Idempotency-Key` of a POST, or `undefined`. */
export function idempotencyKey(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  const text = 'Idempotency-Key must be 1 to 255 visible ASCII characters'
  throw new InvalidRequest({ errors: [{ in: 'header', field: 'Idempotency-Key', text }] })
}
