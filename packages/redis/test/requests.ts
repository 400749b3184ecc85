import type { LeaseAnswer, LeaseListener, LeaseNotice, LeaseRequest, Place } from '@lockstep/coordination'

let count = 0

/** A request with a token of its own. Many of them share a holder, as those of one process do. */
export function mutex(name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest {
  count += 1
  const share = { kind: 'mutex' } as const
  return {
    name,
    token: `token-${count}`,
    kind: 'mutex',
    share,
    ttlMs: 30_000,
    fenceCount: 1,
    holder: '{"node":"test"}',
    ...extra,
  }
}

export function place(address: string, extra: Partial<Place> = {}): Place {
  return { address, priority: 0, aliveMs: 30_000, grantTtlMs: 30_000, ...extra }
}

export function fenceOf(answer: LeaseAnswer | undefined): bigint {
  if (answer?.status !== 'granted') throw new Error(`expected a grant, got ${JSON.stringify(answer)}`)
  return answer.fence
}

export interface Inbox extends LeaseListener {
  readonly notices: LeaseNotice[]
  readonly gaps: number
}

export function inbox(): Inbox {
  const notices: LeaseNotice[] = []
  let gaps = 0
  return {
    notices,
    get gaps() {
      return gaps
    },
    onNotice: (notice) => void notices.push(notice),
    onGap: () => {
      gaps += 1
    },
  }
}
