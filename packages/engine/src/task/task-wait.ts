import { type Json, type JsonObject, parseDuration } from '@lockstep/base'
import type { TaskWait } from '../journal/fact.ts'

export const DEFAULT_QUEUE = 'default'
const LEASE_MS = 30_000
const MOST_CLAIMS = 5

/** What a step waits for whose work an outside worker does. */
export function taskWait(id: string, inputs: JsonObject, policyMs: number | undefined): TaskWait {
  const { task, payload, queue, timeout, lease, maxClaims } = inputs
  const timeoutMs = durationOf(timeout) ?? policyMs
  return {
    kind: 'task',
    id,
    name: String(task),
    queue: typeof queue === 'string' ? queue : DEFAULT_QUEUE,
    payload: payload ?? null,
    leaseMs: durationOf(lease) ?? LEASE_MS,
    mostClaims: typeof maxClaims === 'number' ? maxClaims : MOST_CLAIMS,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

export function durationOf(value: Json | undefined): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined
}
