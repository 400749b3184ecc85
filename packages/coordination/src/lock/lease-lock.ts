import { InvalidOption, type Logger } from '@lockstep/base'
import { LockTimeout } from '../errors.ts'
import { type Ask, type AskDefaults, checkTtlMs, resolveAsk } from '../lease/ask.ts'
import type { HeldLease } from '../lease/held-lease.ts'
import type { AcquireOptions, Busy, HolderInfo, Lease, Lock, RunIfFree, TryOptions } from '../lease/lease.ts'
import { checkLeaseName } from '../lease/lease-name.ts'
import type { LockKind, Share } from '../lease/lease-provider.ts'
import type { Leases } from '../lease/leases.ts'
import { runUnder } from './run-under.ts'

/** What every lock of one coordinator is made with. */
export interface LockContext {
  readonly leases: Leases
  readonly logger: Logger
  readonly self: HolderInfo
  /** `self` as JSON. */
  readonly holder: string
  readonly ttlMs: number
  readonly waitMs: number
}

export interface LockFacts {
  readonly name: string
  readonly kind: LockKind
  readonly share: Share
  readonly ttlMs?: number | undefined
  readonly fair?: boolean | undefined
}

/** One share of one lock. */
export class LeaseLock implements Lock {
  readonly name: string
  readonly context: LockContext
  readonly #defaults: AskDefaults
  /** Askings without options are all alike. */
  #usual: Ask | undefined

  constructor(context: LockContext, { name, kind, share, ttlMs = context.ttlMs, fair = false }: LockFacts) {
    this.name = checkLeaseName(name)
    this.context = context
    const { self, holder } = context
    this.#defaults = { name, kind, share, ttlMs: checkTtlMs(ttlMs), fair, self, holder }
  }

  /** What `acquire` would ask for. */
  ask(options: AcquireOptions | undefined): Ask {
    if (options !== undefined) return resolveAsk(this.#defaults, options, this.context.waitMs)
    this.#usual ??= resolveAsk(this.#defaults, {}, this.context.waitMs)
    return this.#usual
  }

  async acquire(options?: AcquireOptions): Promise<HeldLease> {
    const ask = this.ask(options)
    const lease = await this.context.leases.acquire(ask)
    return lease.ok ? lease : timedOut(ask, lease)
  }

  async tryAcquire(options: TryOptions = {}): Promise<HeldLease | Busy> {
    return this.context.leases.acquire(resolveAsk(this.#defaults, options, 0))
  }

  async run<T>(work: (lease: Lease) => Promise<T> | T, options?: AcquireOptions): Promise<T> {
    return runUnder(await this.acquire(options), this.context.logger, work)
  }

  async runIfFree<T>(work: (lease: Lease) => Promise<T> | T, options?: TryOptions): Promise<RunIfFree<T>> {
    const lease = await this.tryAcquire(options)
    if (!lease.ok) return didNotRun(lease)
    return { ran: true, value: await runUnder(lease, this.context.logger, work) }
  }
}

export function timedOut(
  { name, waitMs }: { readonly name: string; readonly waitMs: number },
  { holder }: Busy,
): never {
  throw new LockTimeout({ name, waitMs, ...(holder !== undefined && { holder: holder.node }) })
}

export function didNotRun({ holder, retryAfterMs }: Busy): { readonly ran: false } {
  return {
    ran: false,
    ...(holder !== undefined && { holder }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** A whole number of permits. */
export function checkPermits(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new InvalidOption({ option, rule: 'a whole number, at least 1', value })
}
