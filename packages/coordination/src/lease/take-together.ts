import type { Ask } from './ask.ts'
import { refusal } from './attempts.ts'
import { busy } from './busy.ts'
import type { HeldLease } from './held-lease.ts'
import type { Busy } from './lease.ts'
import type { LeaseRequest, TogetherAnswer } from './lease-provider.ts'
import type { Leases } from './leases.ts'

interface Part {
  readonly ask: Ask
  readonly number: number
  readonly request: LeaseRequest
}

/** Takes all of them in one call of the store, or none. Nobody waits. */
export async function takeTogether(leases: Leases, asks: readonly Ask[]): Promise<readonly HeldLease[] | Busy> {
  const parts = asks.map((ask): Part => {
    const number = leases.begin(ask)
    return { ask, number, request: leases.request({ ...ask, waitMs: 0 }, 1) }
  })
  await leases.calls.gate
  const sentAt = leases.now()
  let answers: readonly TogetherAnswer[]
  try {
    answers = (await leases.calls.acquireTogether(parts.map((each) => each.request))).answers
    leases.assertOpen()
  } catch (error) {
    for (const { ask, number, request } of parts) {
      leases.calls.abandon(request, request.ttlMs, true)
      leases.events.report(number, ask, { type: 'failed', waitedMs: 0, error })
    }
    throw error
  }
  if (answers.every((each) => each.status === 'granted')) {
    return parts.map(({ ask, number, request }, index) =>
      leases.hold(ask, number, { request, fence: answers[index]!.fence, sentAt, lifeMs: request.ttlMs }),
    )
  }
  return refuse(leases, parts, answers)
}

function refuse(leases: Leases, parts: readonly Part[], answers: readonly TogetherAnswer[]): Busy {
  let first: Busy | undefined
  parts.forEach(({ ask, number, request }, index) => {
    const answer = answers[index]!
    if (answer.status === 'free') return
    if (answer.status !== 'busy') throw refusal(request, answer)
    const found = busy('held', answer)
    first ??= found
    leases.events.report(number, ask, { type: 'refused', ...(found.holder !== undefined && { holder: found.holder }) })
  })
  return first ?? busy('held', {})
}
