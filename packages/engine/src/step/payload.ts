import { defineError, type Json, toJson } from '@lockstep/base'

export const PayloadTooLarge = defineError(
  'PAYLOAD_TOO_LARGE',
  { retryable: false },
  (d: { what: string; bytes: number; limit: number }) =>
    `${d.what} is ${d.bytes} bytes of JSON, more than the ${d.limit} that are kept: store it elsewhere and pass a reference`,
)

/** Bytes of one input, output or payload. */
export const PAYLOAD_LIMIT = 1_048_576

/** A copy that nobody else holds, checked for what JSON can hold and how much of it. */
export function toPayload(value: unknown, what: string, limit: number = PAYLOAD_LIMIT): Json {
  const json = toJson(value)
  if (typeof json === 'object' && json !== null) {
    const bytes = Buffer.byteLength(JSON.stringify(json))
    if (bytes > limit) throw new PayloadTooLarge({ what, bytes, limit })
  } else if (typeof json === 'string' && json.length > limit) {
    throw new PayloadTooLarge({ what, bytes: json.length, limit })
  }
  return json
}
