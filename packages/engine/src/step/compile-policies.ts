import type { JsonObject } from '@lockstep/base'
import type { ActivityDocument } from '../graph/document.ts'
import type { GraphExpression } from '../graph/graph-expression.ts'
import { compileTemplate, type InputTemplate } from '../graph/input-template.ts'
import { type GateRules, resolveBreaker, resolveHeartbeat, resolveLimit, resolveLock } from './step-policies.ts'

/** The policies of an activity, prepared once. `names` fills to `GateNames`: keys may be expressions. */
export interface CompiledPolicies<E extends GraphExpression = GraphExpression> extends GateRules {
  readonly names: InputTemplate<E>
  readonly heartbeatMs: number | undefined
  /** Whether it has to ask somebody before it may run. */
  readonly isGated: boolean
}

export function compilePolicies<E extends GraphExpression>(
  { lock, limit, breaker, heartbeatTimeout }: ActivityDocument,
  compileExpression: (source: string) => E,
): CompiledPolicies<E> | undefined {
  const isGated = lock !== undefined || limit !== undefined || breaker !== undefined
  if (!isGated && heartbeatTimeout === undefined) return undefined
  const names = {
    ...(lock === undefined ? {} : { lock: typeof lock === 'object' && 'name' in lock ? lock.name : lock }),
    ...(limit === undefined ? {} : { limit: limit.key }),
    ...(breaker?.key === undefined ? {} : { breaker: breaker.key }),
  }
  return {
    names: compileTemplate(names as JsonObject, compileExpression),
    lock: lock === undefined ? undefined : resolveLock(lock),
    limit: limit && resolveLimit(limit),
    breaker: breaker && resolveBreaker(breaker),
    heartbeatMs: resolveHeartbeat(heartbeatTimeout),
    isGated,
  }
}
