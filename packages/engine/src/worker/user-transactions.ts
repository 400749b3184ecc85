import { Fenced } from '../store/errors.ts'
import { checkpointItem, type Standing } from './checkpoint.ts'
import type { InstanceIdentity, TransactedChange, TransactedWork } from './execution.ts'
import type { Holder } from './holder.ts'
import { PendingChange } from './pending-change.ts'
import type { Unwritten } from './unwritten.ts'

/** What a transaction needs of the instance whose facts it writes. */
export interface TransactionSite {
  readonly identity: InstanceIdentity
  /** Out of hand, or about to end: no transaction may begin. */
  readonly isOver: boolean
  durable(): Promise<void>
  effect<T>(run: () => Promise<T>): Promise<T>
  /** The facts are in the journal. */
  transacted(change: TransactedChange): void
  lost(): void
  changed(): void
}

/** What came of a transaction; `undefined`: it was refused, because the instance is not ours any more. */
type Transacted<T> = { readonly result: T; readonly change: TransactedChange; readonly at: number } | undefined

/** Transactions of the user's that write one instance: one at a time, for each takes the next numbers of the journal for itself. */
export class UserTransactions {
  readonly #site: TransactionSite
  readonly #standing: Standing
  readonly #unwritten: Unwritten
  readonly #holder: Pick<Holder<never>, 'transact'>
  #last: Promise<unknown> = Promise.resolve()
  #isOpen = false

  constructor(
    site: TransactionSite,
    standing: Standing,
    unwritten: Unwritten,
    holder: Pick<Holder<never>, 'transact'>,
  ) {
    this.#site = site
    this.#standing = standing
    this.#unwritten = unwritten
    this.#holder = holder
  }

  /** One of them writes the instance; the pipeline must not. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  run<T>(work: TransactedWork<T>): Promise<T> {
    const mine = this.#last.then(() => this.#runAlone(work))
    this.#last = mine.catch(() => undefined)
    return mine
  }

  async #runAlone<T>(work: TransactedWork<T>): Promise<T> {
    const site = this.#site
    const unwritten = this.#unwritten
    await site.durable()
    if (work.begin !== undefined) while (!unwritten.isIdle) await unwritten.landed()
    if (site.isOver) return never()
    this.#isOpen = true
    try {
      while (unwritten.flight !== undefined) await unwritten.landed()
      work.begin?.()
      const done = await this.#commit(work)
      if (done === undefined) {
        site.lost()
        return await never()
      }
      site.transacted(done.change)
      work.applied(done.change, done.at)
      return done.result
    } finally {
      this.#isOpen = false
      site.changed()
    }
  }

  async #commit<T>(work: TransactedWork<T>): Promise<Transacted<T>> {
    const { identity } = this.#site
    try {
      const done = await this.#site.effect(() =>
        this.#holder.transact(
          (tx) => work.run(tx),
          (made) => {
            const change = new PendingChange()
            change.add(made.change, () => [])
            return checkpointItem(identity, this.#standing, change, { kind: 'active' }, { kind: 'hold' }, undefined)
          },
        ),
      )
      return done.verdict.kind === 'written' ? done : undefined
    } catch (error) {
      if (Fenced.is(error)) return undefined // not ours any more, and nothing was committed
      work.failed?.(error)
      throw error
    }
  }
}

const never = (): Promise<never> => new Promise(() => {})
