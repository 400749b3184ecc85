import type { LeaseRequest } from '@lockstep/coordination'
import type { LeaseChannel } from './lease-channel.ts'

/** Requests as arrays that run in parallel. */
export interface LeaseColumns {
  readonly names: string[]
  readonly tokens: string[]
  readonly shares: string[]
  readonly weights: number[]
  readonly maxes: (number | null)[]
  readonly ttls: number[]
  readonly counts: number[]
  readonly holders: string[]
  readonly tells: (string | null)[]
  readonly channels: (string | null)[]
  readonly priorities: (number | null)[]
  readonly alives: (number | null)[]
  readonly grants: (number | null)[]
}

export function leaseColumns(requests: readonly LeaseRequest[], channelOf: LeaseChannel): LeaseColumns {
  const waits = requests.map((each) => each.wait)
  return {
    names: requests.map((each) => each.name),
    tokens: requests.map((each) => each.token),
    shares: requests.map((each) => each.share.kind),
    weights: requests.map(({ share }) => (share.kind === 'permits' ? share.weight : 1)),
    maxes: requests.map(({ share }) => (share.kind === 'permits' ? share.max : null)),
    ttls: requests.map((each) => each.ttlMs),
    counts: requests.map((each) => each.fenceCount),
    holders: requests.map((each) => each.holder),
    tells: requests.map((each) => channelOf(addressOf(each))),
    channels: waits.map((wait) => channelOf(wait?.address)),
    priorities: waits.map((wait) => wait?.priority ?? null),
    alives: waits.map((wait) => wait?.aliveMs ?? null),
    grants: waits.map((wait) => wait?.grantTtlMs ?? null),
  }
}

/** Where a holder is told of a break. A coordinator listens at its own id, which is also in the holder's text. */
function addressOf({ address, wait, holder }: LeaseRequest): string | undefined {
  if (address !== undefined || wait !== undefined) return address ?? wait?.address
  try {
    const { nodeId } = JSON.parse(holder) as { nodeId?: unknown }
    return typeof nodeId === 'string' ? nodeId : undefined
  } catch {
    return undefined
  }
}
