import { fenceAccepts } from './check-fence.ts'
import { type RequestHeaders, readFenceHeaders } from './fence-headers.ts'
import type { FenceStore } from './fence-store.ts'

/** The gate in front of a resource behind HTTP. */
export interface FenceVerifier {
  /**
   * Runs `write` when the request carries a fence that is not stale. Writes to one resource pass one after the other: one that
   * was let in cannot be overtaken by a later holder and land after it. (Across several servers of one resource only
   * the store of the data can promise that: compare the fence in the same transaction as the write.)
   */
  protect<T>(request: FencedRequest, write: (fence: bigint) => Promise<T> | T): Promise<Protected<T>>
  /** Only compares, and keeps the mark: for a resource that takes its writes at once or keeps their order itself. */
  verify(request: FencedRequest): Promise<FenceVerdict>
}

export interface FencedRequest {
  readonly headers: RequestHeaders
  /** What the fence guards. Name it here when requests under several locks reach the server. @default the lock that the request names */
  readonly resource?: string
}

export type FenceVerdict =
  | { readonly status: 'accepted'; readonly fence: bigint; readonly resource: string }
  | FenceRefusal

export type FenceRefusal =
  /** A later holder was here. */
  | {
      readonly status: 'stale'
      readonly httpStatus: 412
      readonly resource: string
      readonly fence: bigint
      readonly seen: bigint
    }
  | { readonly status: 'missing'; readonly httpStatus: 428 }
  | { readonly status: 'malformed'; readonly httpStatus: 400 }

export type Protected<T> = { readonly status: 'accepted'; readonly fence: bigint; readonly value: T } | FenceRefusal

export function fenceVerifier(store: FenceStore): FenceVerifier {
  const turns = new Map<string, Promise<unknown>>()

  const verify = async (request: FencedRequest): Promise<FenceVerdict> => {
    const sent = readFenceHeaders(request.headers)
    if (sent.status === 'missing') return { status: 'missing', httpStatus: 428 }
    if (sent.status === 'malformed') return { status: 'malformed', httpStatus: 400 }
    const { fence, lock } = sent
    const { resource = lock } = request
    const seen = await store.raise(resource, fence)
    if (seen === undefined || fenceAccepts(seen, fence)) return { status: 'accepted', fence, resource }
    return { status: 'stale', httpStatus: 412, resource, fence, seen }
  }

  const inTurn = async <T>(resource: string, work: () => Promise<T>): Promise<T> => {
    const before = turns.get(resource)
    const mine = before === undefined ? work() : before.then(work, work)
    turns.set(resource, mine)
    try {
      return await mine
    } finally {
      if (turns.get(resource) === mine) turns.delete(resource)
    }
  }

  return {
    verify,
    protect: async (request, write) => {
      const sent = readFenceHeaders(request.headers)
      const { resource = sent.status === 'found' ? sent.lock : '' } = request
      return inTurn(resource, async () => {
        const verdict = await verify(request)
        if (verdict.status !== 'accepted') return verdict
        return { status: 'accepted', fence: verdict.fence, value: await write(verdict.fence) }
      })
    },
  }
}
