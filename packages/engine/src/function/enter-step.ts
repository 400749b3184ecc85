import { abortable, type LazyAbort } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import type { Passed } from '../limit/passed-gate.ts'
import { placeOf } from '../step/incident.ts'
import {
  checkKey,
  type GateNames,
  type GateRules,
  resolveBreaker,
  resolveHeartbeat,
  resolveLimit,
  resolveLock,
} from '../step/step-policies.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { StepOptions } from './workflow-context.ts'

/** The policies of one step, checked. */
export interface StepPolicies {
  readonly rules: GateRules
  readonly names: GateNames
  readonly heartbeatMs: number | undefined
  readonly isGated: boolean
}

const NONE: StepPolicies = {
  rules: { lock: undefined, limit: undefined, breaker: undefined },
  names: {},
  heartbeatMs: undefined,
  isGated: false,
}

export function stepPolicies({
  lock,
  limit,
  breaker,
  heartbeatTimeout,
}: Omit<StepOptions, 'compensate'>): StepPolicies {
  const isGated = lock !== undefined || limit !== undefined || breaker !== undefined
  if (!isGated && heartbeatTimeout === undefined) return NONE
  return {
    rules: {
      lock: lock === undefined ? undefined : resolveLock(lock),
      limit: limit === undefined ? undefined : resolveLimit(limit),
      breaker: breaker === undefined ? undefined : resolveBreaker(breaker),
    },
    names: {
      ...(lock === undefined ? {} : { lock: checkKey('lock', typeof lock === 'object' ? lock.name : lock) }),
      ...(limit === undefined ? {} : { limit: checkKey('limit.key', limit.key) }),
      ...(breaker?.key === undefined ? {} : { breaker: checkKey('breaker.key', breaker.key) }),
    },
    heartbeatMs: resolveHeartbeat(heartbeatTimeout),
    isGated,
  }
}

/** What came of asking: it may run; or not now, and `later` settles when it should ask again. */
export type StepEntry = Passed | { readonly kind: 'later'; readonly later: Promise<void> }

/** Asks for all that the step's policies demand. */
export async function enterStep(
  execution: FunctionExecution,
  step: StepKey,
  { rules, names }: StepPolicies,
  abort: LazyAbort,
): Promise<StepEntry> {
  const { host, shell } = execution
  const { tenant, instanceId, definitionId } = host.identity
  const subject = { tenant, instanceId, definitionId, step, place: placeOf(step) }
  const { signal } = abort
  // Nothing is held while a commit is waited for.
  await abortable(host.durable(), signal)
  const entry = await shell.gate.enter(subject, rules, names, signal)
  if (entry.kind === 'later')
    return {
      kind: 'later',
      later: execution.putOff(step, entry.inMs, () => shell.gate.withdraw(subject, names)),
    }
  try {
    await abortable(new Promise<void>((resolve) => execution.freeze.afterwards(resolve)), signal)
    return entry
  } catch (error) {
    entry.leave('untried')
    throw error
  }
}
