import { defineError, type Json, toJson } from '@lockstep/base'
import { OUTPUT_DEPTH } from '../expression/limits.ts'
import { measureJson } from '../expression/pure/size.ts'
import type { EngineLimits } from '../limit/engine-limits.ts'

export const PayloadTooLarge = defineError(
  'PAYLOAD_TOO_LARGE',
  { retryable: false },
  (d: { what: string; bytes: number; limit: number; option?: string }) =>
    `${d.what} is ${d.bytes} bytes of JSON, more than the ${d.limit} that are kept: store it elsewhere and pass a reference${d.option === undefined ? '' : `, or raise ${d.option} and retry`}`,
)

/** Bytes of one input, output or payload. */
export const PAYLOAD_LIMIT = 1_048_576

/** A copy that nobody else holds, checked for what JSON can hold and how much of it. */
export function toPayload(value: unknown, what: string, limit: number = PAYLOAD_LIMIT): Json {
  const json = toJson(value)
  const bytes = bytesOver(json, limit)
  if (bytes !== undefined) throw new PayloadTooLarge({ what, bytes, limit })
  return json
}

/** The same for what an instance keeps: too much of it is a breach of the engine's limit. */
export function toKept(value: unknown, what: string, limits: EngineLimits): Json {
  const json = toJson(value)
  requireKept(json, what, limits)
  return json
}

/** For what is JSON already. */
export function requireKept(json: Json, what: string, { payloadBytes: limit }: EngineLimits): void {
  const bytes = bytesOver(json, limit)
  if (bytes !== undefined) throw new PayloadTooLarge({ what, bytes, limit, option: 'limits.payloadBytes' })
}

/** Writes it out only where it may well be too large. `undefined`: it is not. */
function bytesOver(json: Json, limit: number): number | undefined {
  const { most, depth } = measureJson(json, limit)
  if (most <= limit && depth <= OUTPUT_DEPTH) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(json))
  return bytes > limit ? bytes : undefined
}
