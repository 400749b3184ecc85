import type { LeaseListener, LeaseNotice, LockKind, Share } from '../lease/lease-provider.ts'
import type { Member } from '../member/member-provider.ts'
import type { LockEvent } from '../monitor/lock-registry-provider.ts'

/** Leases of one process, shared by all coordinators that are given the same store. */
export interface MemoryStore {
  /** The tables of one namespace; two namespaces never meet. */
  space(namespace: string): MemorySpace
}

export interface MemorySpace {
  readonly locks: Map<string, LockRecord>
  /** Permits set by `resize`: for good, so they outlive the record of a lock that is free. */
  readonly resized: Map<string, number>
  readonly history: Map<string, LockEvent[]>
  readonly members: Map<string, { readonly member: Member; readonly expiresAt: number }>
  readonly listeners: Map<string, Set<LeaseListener>>
  /** The highest fence handed out, of all names: one number, so that nothing has to be kept of a lock that is free. */
  lastFence: number
  /** What lies between the monotonic clock of this process and 1970; fixed by the first who enters. */
  epoch: number | undefined
  /** Operations since records of expired leases were last cleared away. */
  touched: number
}

export interface LockRecord {
  readonly name: string
  readonly kind: LockKind
  readonly holders: Map<string, HolderRecord>
  /** In their order: priority, then arrival. */
  waiters: WaiterRecord[]
  /** Permits as they were last asked for. */
  max: number | undefined
}

export interface HolderRecord {
  readonly token: string
  holder: string
  address: string | undefined
  readonly acquiredAt: number
  share: Share
  fence: number
  expiresAt: number
}

export interface WaiterRecord {
  readonly token: string
  readonly holder: string
  readonly noticeAddress: string
  readonly address: string
  readonly share: Share
  readonly priority: number
  readonly since: number
  readonly fenceCount: number
  readonly grantTtlMs: number
  aliveUntil: number
}

export function memoryStore(): MemoryStore {
  const spaces = new Map<string, MemorySpace>()
  return {
    space(namespace) {
      let space = spaces.get(namespace)
      if (space === undefined) {
        space = emptySpace()
        spaces.set(namespace, space)
      }
      return space
    },
  }
}

function emptySpace(): MemorySpace {
  return {
    locks: new Map(),
    resized: new Map(),
    history: new Map(),
    members: new Map(),
    listeners: new Map(),
    lastFence: 0,
    epoch: undefined,
    touched: 0,
  }
}

/** Messages arrive later, as those of a server do: never inside the call that caused them. */
export function send(space: MemorySpace, address: string | undefined, notice: LeaseNotice): void {
  if (address === undefined) return
  queueMicrotask(() => {
    for (const listener of space.listeners.get(address) ?? []) listener.onNotice(notice)
  })
}
