/**
 * Stores leases. One call carries many of them: gathering the calls of a tick, waiting, renewing, noticing a loss,
 * re-entry and hand-over inside a process are written once, above this port.
 *
 * The store decides with its own clock only and never sees one of ours. Everything is idempotent by `token`: a call whose
 * reply was lost may be sent again. What a provider cannot reach it refuses with `PROVIDER_UNAVAILABLE`; it never guesses.
 */
export interface LeaseProvider {
  /**
   * Asks for each lease by itself; answers in the order of the requests. A token that holds what it asks for is answered
   * `granted` with the fence it has (and its life is extended); a token that waits keeps its place and lives on.
   */
  acquire(requests: readonly LeaseRequest[]): Promise<Answers<LeaseAnswer>>
  /** Grants all of them or none (then the ones in the way are `busy`, the others `free`). Nobody is queued. */
  acquireTogether(requests: readonly LeaseRequest[]): Promise<Answers<TogetherAnswer>>
  /** Extends leases that are still held. `lost`: it ended or went to another, and stays lost. */
  renew(leases: readonly LeaseRenewal[]): Promise<Answers<'renewed' | 'lost'>>
  /**
   * Ends leases, and places in a queue, and hands what became free to those who wait, in this same call.
   * `gone`: there was nothing left of it, which is no error.
   */
  release(leases: readonly LeaseKey[]): Promise<Answers<'released' | 'gone'>>
  /** Brings the messages sent to `address`. Resolves when they flow. */
  listen(address: string, listener: LeaseListener): Promise<Listening>
}

/** What a lock is. One name is one kind: asking for another kind while it is in use is `wrong-kind`. */
export type LockKind = 'mutex' | 'read-write' | 'semaphore'

export type Share =
  | { readonly kind: 'mutex' }
  /** Many readers or one writer, phase-fair: readers that wait go in together when a writer leaves, the next writer when they have left. */
  | { readonly kind: 'read' }
  | { readonly kind: 'write' }
  /** `weight` of `max` permits. A `max` set by `resize` wins over the one in the request. */
  | { readonly kind: 'permits'; readonly weight: number; readonly max: number }

export interface LeaseKey {
  readonly name: string
  /** Random, made for one acquire, never reused: it is the proof of ownership. */
  readonly token: string
  readonly kind: LockKind
}

export interface LeaseRequest extends LeaseKey {
  /**
   * A holder may ask again with its own token for another share: `write` to `read` always succeeds, in place;
   * `read` to `write` succeeds for the only reader, with a new fence, and is `busy` otherwise.
   */
  readonly share: Share
  readonly ttlMs: number
  /** How many fences to set aside: the lease gets `fence … fence + fenceCount - 1`, for hand-over inside the process. At least 1. */
  readonly fenceCount: number
  /** Who asks, as JSON text (`HolderInfo`): stored as it is, for people and the monitor. */
  readonly holder: string
  /**
   * Where `revoked` and `yield` are sent while it is held (see `listen`), however the lease was got: a holder that never
   * waited has no `Place` to be told by. Absent: `wait.address`; without either the holder is not told and learns it from its next renewal.
   */
  readonly address?: string
  /** Absent: the answer is `granted` or `busy`, and nothing is left behind. */
  readonly wait?: Place
}

/** A place in the queue of a lock. */
export interface Place {
  /** Where the grant is sent (see `listen`). */
  readonly address: string
  /** Higher goes first; equal ones in the order of arrival. */
  readonly priority: number
  /** How long the place is kept without being asked for again: whoever died is passed over. */
  readonly aliveMs: number
  /** Life of a lease granted by hand-over, until its first renewal sets the one asked for. */
  readonly grantTtlMs: number
}

export interface LeaseRenewal extends LeaseKey {
  readonly ttlMs: number
}

/** `at`: the store's clock, in milliseconds (with fraction), when it decided. Comparable only with other `at` of the same store. */
export interface Answers<Answer> {
  readonly at: number
  readonly answers: readonly Answer[]
}

export type LeaseAnswer =
  | { readonly status: 'granted'; readonly fence: bigint }
  /** `ahead`: how many wait before it. */
  | ({ readonly status: 'queued'; readonly ahead: number } & InTheWay)
  | ({ readonly status: 'busy' } & InTheWay)
  | { readonly status: 'wrong-kind'; readonly inUseAs: LockKind }
  /** More permits were asked for than there are. */
  | { readonly status: 'too-heavy'; readonly max: number }

export type TogetherAnswer = LeaseAnswer | { readonly status: 'free' }

export interface InTheWay {
  /** A holder's `holder` text, when one is known. */
  readonly holder?: string
  /** When the lease in the way ends if nobody renews it. */
  readonly leftMs?: number
}

export type LeaseNotice =
  /** A place in the queue became a lease, at the store's time `at`. It lives `grantTtlMs` until renewed. */
  | {
      readonly kind: 'granted'
      readonly name: string
      readonly token: string
      readonly fence: bigint
      readonly at: number
    }
  /** Somebody broke the lease: it is gone. */
  | { readonly kind: 'revoked'; readonly name: string; readonly token: string; readonly reason: string }
  /** Somebody asks the holder to give it up soon. */
  | { readonly kind: 'yield'; readonly name: string; readonly token: string; readonly reason: string }

export interface LeaseListener {
  onNotice(notice: LeaseNotice): void
  /** Messages may have been missed: ask again for everything that is waited for. */
  onGap(): void
}

export interface Listening {
  close(): Promise<void>
}
