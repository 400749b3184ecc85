import type { LimitStore, StepWait } from '../store/limit-store.ts'
import type { Blocker, BlockerSource } from '../why/why.ts'

const NAMES = { limit: 'Limit', lock: 'Lock', breaker: 'Breaker' } as const

/** Tells `why` which limit, lock or breaker holds a step back. */
export function stepBlockers(store: Pick<LimitStore, 'waits'>): BlockerSource {
  return async ({ tenant, instanceId }) => (await store.waits(tenant, instanceId)).map(toBlocker)
}

function toBlocker({ kind, key, step, untilAt, ahead, holders }: StepWait): Blocker {
  const subject = `${NAMES[kind]} "${key}"`
  if (kind === 'breaker')
    return {
      ...{ kind, step, key },
      text: `${subject} is open: step "${step}" is not tried before it lets a probe through`,
      ...(untilAt === undefined ? {} : { untilAt }),
    }
  const [holder] = holders
  const held = holder === undefined ? '' : `; ${holder.instanceId} (step "${holder.step}") has it`
  const others = holders.length > 1 ? ` and ${holders.length - 1} more` : ''
  const place = ahead === 0 ? 'it is next' : `at most ${ahead} are before it`
  const text = `${subject} holds step "${step}" back: ${place}${held}${others}`
  return { kind, text, step, key, ...(untilAt === undefined ? {} : { untilAt }) }
}
