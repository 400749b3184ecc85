import { InvalidOption } from '@lockstep/base'
import type { Ask } from '../lease/ask.ts'
import { checkWaitMs } from '../lease/ask.ts'
import { busy } from '../lease/busy.ts'
import type { AcquireOptions, Busy, Lock, RunIfFree, TryOptions } from '../lease/lease.ts'
import { takeTogether } from '../lease/take-together.ts'
import { HeldMultiLease, type PartLease } from './held-multi-lease.ts'
import { didNotRun, LeaseLock, type LockContext, timedOut } from './lease-lock.ts'
import type { MultiLease, MultiLock } from './multi-lock.ts'
import { ReentrantMutex } from './reentrant-mutex.ts'
import { runUnder } from './run-under.ts'
import { PermitLock } from './semaphore.ts'

/** Several locks of one coordinator. Without waiting they are asked for in one call; waiting, one after the other by name. */
export class AllLocks implements MultiLock {
  readonly name: string
  readonly #context: LockContext
  readonly #locks: readonly (LeaseLock | ReentrantMutex)[]

  constructor(context: LockContext, locks: readonly Lock[]) {
    if (locks.length === 0) throw new InvalidOption({ option: 'locks', rule: 'at least one lock' })
    this.#context = context
    this.#locks = locks.map((lock) => partOf(context, lock)).sort((a, b) => (a.name < b.name ? -1 : 1))
    this.name = this.#locks.map((lock) => lock.name).join(' + ')
    const twice = this.#locks.find((lock, index) => lock.name === this.#locks[index + 1]?.name)
    if (twice !== undefined)
      throw new InvalidOption({ option: 'locks', rule: `different: "${twice.name}" is there twice` })
  }

  async acquire(options: AcquireOptions = {}): Promise<MultiLease> {
    const { waitMs = this.#context.waitMs } = options
    const lease = await this.#take({ ...options, waitMs })
    return lease.ok ? lease : timedOut({ name: this.name, waitMs }, lease)
  }

  async tryAcquire(options: TryOptions = {}): Promise<MultiLease | Busy> {
    return this.#take({ waitMs: 0, ...options })
  }

  async run<T>(work: (lease: MultiLease) => Promise<T> | T, options: AcquireOptions = {}): Promise<T> {
    const { waitMs = this.#context.waitMs } = options
    const lease = await this.#take({ ...options, waitMs })
    return lease.ok ? runUnder(lease, this.#context.logger, work) : timedOut({ name: this.name, waitMs }, lease)
  }

  async runIfFree<T>(work: (lease: MultiLease) => Promise<T> | T, options: TryOptions = {}): Promise<RunIfFree<T>> {
    const lease = await this.#take({ waitMs: 0, ...options })
    if (!lease.ok) return didNotRun(lease)
    return { ran: true, value: await runUnder(lease, this.#context.logger, work) }
  }

  async #take(options: TryOptions & { readonly waitMs: number }): Promise<HeldMultiLease | Busy> {
    checkWaitMs(options.waitMs)
    options.signal?.throwIfAborted()
    const startedAt = this.#context.leases.now()
    const inside: PartLease[] = []
    const outside: LeaseLock[] = []
    try {
      for (const lock of this.#locks) {
        const entered = lock instanceof ReentrantMutex ? lock.enter(options) : undefined
        if (entered !== undefined) inside.push(entered)
        else outside.push(lock instanceof ReentrantMutex ? lock.inner : lock)
      }
      const got = await this.#takeOutside(outside, options, startedAt)
      if ('ok' in got) {
        await giveBack(inside)
        return got
      }
      return new HeldMultiLease(this.name, [...inside, ...got])
    } catch (error) {
      await giveBack(inside)
      throw error
    }
  }

  async #takeOutside(
    locks: readonly LeaseLock[],
    options: TryOptions & { readonly waitMs: number },
    startedAt: number,
  ): Promise<readonly PartLease[] | Busy> {
    if (locks.length === 0) return []
    const asks = locks.map((lock) => lock.ask(options))
    const together = await takeTogether(this.#context.leases, asks)
    if (!('ok' in together)) {
      if (options.signal?.aborted) {
        await giveBack(together)
        throw options.signal.reason
      }
      return together
    }
    return options.waitMs > 0 ? this.#takeInTurn(asks, startedAt + options.waitMs) : together
  }

  async #takeInTurn(asks: readonly Ask[], until: number): Promise<readonly PartLease[] | Busy> {
    const { leases } = this.#context
    const got: PartLease[] = []
    try {
      for (const ask of asks) {
        const waitMs = until - leases.now()
        const lease = waitMs > 0 ? await leases.acquire({ ...ask, waitMs, alone: true }) : busy('timeout', {})
        if (!lease.ok) {
          await giveBack(got)
          return lease
        }
        got.push(lease)
      }
      // Those taken first were held while the last was waited for, and may have been lost meanwhile.
      for (const lease of got) lease.assertHeld()
      return got
    } catch (error) {
      await giveBack(got)
      throw error
    }
  }
}

function partOf(context: LockContext, lock: Lock): LeaseLock | ReentrantMutex {
  const part = lock instanceof PermitLock ? lock.permits(1) : lock
  const ours = part instanceof LeaseLock || part instanceof ReentrantMutex
  if (ours && (part instanceof LeaseLock ? part : part.inner).context === context) return part
  throw new InvalidOption({ option: 'locks', rule: 'locks of this coordinator' })
}

async function giveBack(leases: readonly PartLease[]): Promise<void> {
  await Promise.all(leases.map((lease) => lease[Symbol.asyncDispose]()))
}
