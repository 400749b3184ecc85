/** What the activities of this folder have in common. */
import { createHash } from 'node:crypto'
import { Cancelled, type Json, parseDuration } from '@lockstep/base'
import { OutboundNotConfigured } from '../../outbound/errors.ts'
import { isDefaultTenant } from '../../outbound/outbound-tenants.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { CompletedResult } from '../activity-handler.ts'

export const CATEGORY = 'Outside'

export function done(output: Json, outcome = 'done'): CompletedResult {
  return { kind: 'completed', outcome, output }
}

export function badInput(message: string): Error {
  return new WorkflowFault({ message, faultCode: 'INVALID_INPUT' })
}

/** The same for what is not there and for what is there for other tenants: nobody learns from it what the operator has. */
export function notConfigured(tenant: string, what: string, fix: string): Error {
  const forOthers = ', and name the tenant in outboundTenants (LOCKSTEP_OUTBOUND_TENANTS)'
  return new OutboundNotConfigured({ what, fix: isDefaultTenant(tenant) ? fix : `${fix}${forOthers}` })
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** One text or a list of them. */
export function listOf(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

export function durationOf(value: Json | undefined, fallbackMs: number): number {
  return value === undefined || value === null ? fallbackMs : parseDuration(value as string | number)
}

/**
 * The signal of what is on its way out: it fires as the step's does, but not for a cancel that comes later. Cut off in the middle, nobody would
 * know whether it happened, and a saga could not undo it; so it comes to its end, within its time-out.
 */
export function onItsWay(signal: AbortSignal): AbortSignal {
  signal.throwIfAborted()
  const own = new AbortController()
  signal.addEventListener(
    'abort',
    () => {
      if (!Cancelled.is(signal.reason)) own.abort(signal.reason)
    },
    { once: true },
  )
  return own.signal
}

/** Text that differs when `key` does, in characters that every header and id can hold. */
export function digestOf(key: string, length = 32): string {
  return createHash('sha256').update(key).digest('hex').slice(0, length)
}
