import { isJsonObject } from '@lockstep/base'
import type { Cancellation } from './execution.ts'

/** What a message of kind `cancel` asks for. */
export function cancellationOf(payload: unknown): Cancellation {
  const { reason, compensate } = isJsonObject(payload) ? payload : {}
  return { reason: typeof reason === 'string' ? reason : undefined, compensate: compensate !== false }
}
