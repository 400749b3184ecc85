import type { BoundedCount } from '../store/definition-usage-store.ts'

/**
 * `queued`: its flow policy holds it back. `due`: it could move and nobody has taken it. `held`: a node has it, and is working. `orphaned`: the node that has it is silent; the others
 * will free it. `stranded`: nothing will move it, see `doctor`.
 */
export type WhyState =
  | 'ended'
  | 'queued'
  | 'held'
  | 'waiting'
  | 'due'
  | 'paused'
  | 'quarantined'
  | 'orphaned'
  | 'stranded'

/** What an instance waits for. Instants are milliseconds since 1970, by the store's clock. */
export type WaitsFor = { readonly step: string; readonly since: number } & (
  | { readonly kind: 'timer'; readonly dueAt: number }
  | { readonly kind: 'retry'; readonly attempt: number; readonly dueAt: number; readonly error: string }
  | {
      readonly kind: 'event'
      readonly name: string
      readonly correlationId: string | undefined
      readonly bookmarkId: string
      readonly expiresAt: number | undefined
    }
  | {
      readonly kind: 'signal'
      /** Who is to do it: an outside worker (`name` is the task), or a person. Absent: whoever resumes it. */
      readonly by?: 'worker' | 'person'
      readonly name: string
      readonly bookmarkId: string
      readonly expiresAt: number | undefined
    }
  | {
      readonly kind: 'child'
      readonly instanceId: string
      readonly definitionId: string
      readonly status: string
      readonly expiresAt: number | undefined
      /** Why the child has not ended, in a sentence; of the first few children only. */
      readonly why: string | undefined
    }
)

/** Something that keeps it from moving. Limits, breakers and locks add kinds of their own through a `BlockerSource`. */
export interface Blocker {
  readonly kind: string
  /** A sentence for people. */
  readonly text: string
  /** When it will be over, where that can be told. */
  readonly untilAt?: number
  /** The step that it holds back; absent: all of it. */
  readonly step?: string
  /** Name of the limit, lock, breaker or node. */
  readonly key?: string
}

export interface Why {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number
  readonly status: string
  readonly state: WhyState
  /** Since when it stands so. */
  readonly since: number
  readonly waitsFor: readonly WaitsFor[]
  readonly heldBy:
    | {
        readonly nodeId: string
        readonly name: string | undefined
        readonly claimNo: number
        readonly alive: boolean
        /** Since its last heartbeat. */
        readonly silentMs: number | undefined
      }
    | undefined
  /** Present when it is due and nobody has it. */
  readonly queue: { readonly name: string; readonly ahead: BoundedCount; readonly lateMs: number } | undefined
  /** When it moves by itself, at the latest. */
  readonly movesAt: number | undefined
  readonly blockers: readonly Blocker[]
  readonly incidents: readonly {
    readonly id: string
    readonly code: string
    readonly message: string
    readonly step: string | undefined
    readonly at: number
  }[]
  /** What a person can do. */
  readonly advice: readonly string[]
  /** All of it in a sentence or two. */
  readonly text: string
}

/** Asked about an instance that has not ended. It must answer soon and read little. */
export type BlockerSource = (
  subject: Pick<Why, 'tenant' | 'instanceId' | 'definitionId' | 'version' | 'state'> & { readonly queue: string },
) => Promise<readonly Blocker[]>
