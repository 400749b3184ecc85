import { hostname } from 'node:os'
import type { ProviderConnections } from './coordination-provider.ts'
import { type CoordinatorOptions, resolveCoordinatorOptions } from './coordinator-options.ts'
import { CoordinatorClosed } from './errors.ts'
import type { HolderInfo, Lease, LeaseTicket, Lock } from './lease/lease.ts'
import { LeaseEvents, type LeaseObserver } from './lease/lease-events.ts'
import { Leases } from './lease/leases.ts'
import { checkTicket } from './lease/ticket.ts'
import { newToken } from './lease/token.ts'
import { AllLocks } from './lock/all-locks.ts'
import type { LockContext } from './lock/lease-lock.ts'
import type { MultiLock } from './lock/multi-lock.ts'
import { mutex } from './lock/mutex.ts'
import type { MutexOptions } from './lock/mutex-options.ts'
import { type ReadWriteLock, readWriteLock } from './lock/read-write-lock.ts'
import { lockScopes } from './lock/reentrant-mutex.ts'
import { PermitLock, type Semaphore } from './lock/semaphore.ts'
import { type Services, startServices } from './services.ts'

/** The toolkit on one provider. */
export interface Coordinator extends Services, AsyncDisposable {
  /** Random for each incarnation; stands in every lease as the holder's `nodeId`. */
  readonly id: string
  readonly name: string
  /** `volatile`: leases may vanish with the server (fences still rise). `durable`: they survive its restart. */
  readonly grade: 'volatile' | 'durable'
  mutex(name: string, options?: MutexOptions): Lock
  readWrite(name: string, options?: { readonly ttlMs?: number }): ReadWriteLock
  semaphore(name: string, max: number, options?: { readonly ttlMs?: number }): Semaphore
  /** All of these locks or none. */
  all(locks: readonly Lock[]): MultiLock
  /** Goes on with a lease that another process detached. Throws `LEASE_LOST` when it came too late. */
  attach(ticket: LeaseTicket): Promise<Lease>
  /** `undefined`: its provider has none of its own. */
  connections(): ProviderConnections | undefined
  /** Everything that happens to leases of this coordinator. Answers how to stop. */
  observe(observer: LeaseObserver): () => void
  /** Gives back what is held, ends those who wait, leaves no timer, place or subscription. Repeating it is harmless. */
  close(): Promise<void>
}

export function coordinator(options: CoordinatorOptions): Coordinator {
  const { provider, ownsProvider, name, ttlMs, waitMs, askAgainMs, quota, clock, random, logger } =
    resolveCoordinatorOptions(options)
  const id = newToken(random)
  const self: HolderInfo = { nodeId: id, node: name, pid: process.pid, host: hostname() }
  const events = new LeaseEvents()
  const leases = new Leases({ provider, clock, random, logger, events, address: id, askAgainMs, quota })
  const context: LockContext = { leases, logger, self, holder: JSON.stringify(self), ttlMs, waitMs }
  const scopes = lockScopes()
  const closing = new AbortController()
  const unfinished = new Set<Promise<unknown>>()
  const beforeRelease = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => unfinished.delete(settled))
    unfinished.add(settled)
  }
  const assertOpen = (doing: string): void => {
    if (closing.signal.aborted) throw new CoordinatorClosed({ doing })
  }
  const makeMutex = (lockName: string, wanted?: MutexOptions): Lock => mutex(context, scopes, lockName, wanted)
  const { services, stop } = startServices(
    {
      provider,
      clock,
      random,
      logger,
      self,
      events,
      ttlMs,
      waitMs,
      closing: closing.signal,
      assertOpen,
      beforeRelease,
      mutex: makeMutex,
    },
    options,
  )

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing.abort(new CoordinatorClosed({ doing: 'whatever was under way' }))
    leases.refuseNew()
    while (unfinished.size > 0) await Promise.all(unfinished)
    await Promise.all([leases.close(), stop()])
    if (ownsProvider) await provider.close()
  }

  return {
    id,
    name,
    grade: provider.grade,
    mutex: makeMutex,
    readWrite: (lockName, wanted) => readWriteLock(context, lockName, wanted),
    semaphore: (lockName, max, wanted) => new PermitLock(context, lockName, max, wanted),
    all: (locks) => new AllLocks(context, locks),
    attach: async (ticket) => leases.attach(checkTicket(ticket), context.holder),
    connections: () => provider.connections?.(),
    observe: (observer) => events.observe(observer),
    singleton: services.singleton,
    tryOnce: services.tryOnce,
    executeWithLock: services.executeWithLock,
    election: services.election,
    get monitor() {
      return services.monitor
    },
    health: services.health,
    members: services.members,
    close() {
      closed ??= close()
      return closed
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}
