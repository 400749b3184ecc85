import { Cancelled, SeldomSet } from '@lockstep/base'
import type { EndStatus, Failure } from '../journal/fact.ts'
import type { Disposition } from '../store/commit-store.ts'
import { isForNextOwner, type Order, type Stands, type TerminateOrder } from './control-messages.ts'
import type { ChildStart, Execution, InstanceIdentity } from './execution.ts'
import type { Holder } from './holder.ts'
import type { Unwritten } from './unwritten.ts'

/** What orders need of the instance that they are for. */
export interface OrderSite {
  readonly identity: InstanceIdentity
  readonly execution: Execution | undefined
  /** It was told to end, whatever its execution is doing. */
  readonly isEnding: boolean
  fire(now: number): void
  changed(): void
  suspectStimulus(): void
  endAs(status: EndStatus, error: Failure | undefined, reason: unknown): void
  lost(): void
}

/** What operators asked of one instance in hand: whether it stands, is to be given back, or waits until its children are told. */
export class OperatorOrders {
  readonly #site: OrderSite
  readonly #unwritten: Unwritten
  readonly #holder: Pick<Holder<never>, 'storeNow' | 'soon' | 'startChild' | 'terminateChildren'>
  readonly #childStarts = new SeldomSet<Promise<void>>()
  #stands: Stands | undefined
  /** It is to be given back, for whoever opens it anew; in another queue where one is named. */
  #yields: { readonly queue: string | undefined } | undefined
  #children: 'as they are' | 'being told' | 'told' = 'as they are'
  #advanced = false
  /** Something has just ended, and what follows from it is not recorded yet. */
  #unsettledCount = 0

  constructor(
    site: OrderSite,
    unwritten: Unwritten,
    holder: Pick<Holder<never>, 'storeNow' | 'soon' | 'startChild' | 'terminateChildren'>,
  ) {
    this.#site = site
    this.#unwritten = unwritten
    this.#holder = holder
  }

  get stands(): Stands | undefined {
    return this.#stands
  }

  get yields(): { readonly queue: string | undefined } | undefined {
    return this.#yields
  }

  /** Nothing new starts. */
  get isStill(): boolean {
    return this.#stands !== undefined || this.#yields !== undefined || this.#children !== 'as they are'
  }

  /** It cannot rest or be given back yet. */
  get isUnsettled(): boolean {
    return this.#unsettledCount > 0 || this.#children !== 'as they are'
  }

  /** What becomes of the claim of one that stands. */
  get rest(): Disposition {
    const status = this.#stands ?? 'suspended'
    return status === 'paused' || status === 'quarantined' || status === 'suspended'
      ? { kind: 'suspend', dueAt: undefined, dueInMs: undefined, status }
      : { kind: 'end', status }
  }

  begin({ stands }: Execution): void {
    this.#stands = stands
    this.#advance()
  }

  async startChild(child: ChildStart): Promise<void> {
    const started = this.#holder.startChild(this.#site.identity, child)
    this.#childStarts.add(started)
    try {
      await started
    } finally {
      this.#childStarts.delete(started)
    }
  }

  /** Whether the message stays in the inbox for now: until its children are told, or for the next owner. */
  isForLater(order: Order): boolean {
    if (this.#site.isEnding) return false
    if (order.kind === 'terminate' && order.children === true && this.#children !== 'told') {
      this.#tellChildren(order)
      return true
    }
    if (!isForNextOwner(order)) return false
    this.beStill({ queue: order.kind === 'migrate' ? order.queue : undefined })
    return true
  }

  operate(order: Order): void {
    const { execution, isEnding } = this.#site
    if (isEnding || execution === undefined || order.kind === 'migrate') return
    if (order.kind === 'terminate') return this.terminate(order)
    execution.operate(order)
    if (order.kind === 'pause') {
      this.#stands ??= 'paused'
      this.settleSoon()
      return
    }
    if (this.#stands !== undefined)
      this.#stands = order.kind === 'continue' && this.#advanced ? undefined : execution.stands
    // What was told to wait while it stood waits for ever: the next owner begins from the journal.
    if (order.kind === 'continue' && this.#advanced) this.beStill({ queue: undefined })
    else if (this.#advance()) this.#site.fire(this.#holder.storeNow())
  }

  /** One that was put aside undoes what it did like any other. */
  cancelled(): void {
    if (this.#stands === undefined) return
    this.#stands = this.#site.execution?.stands
    this.#advance()
  }

  terminate({ reason = 'An operator terminated it' }: TerminateOrder): void {
    const cause = new Cancelled({ what: `Instance ${this.#site.identity.instanceId}` })
    this.#site.endAs('terminated', { code: 'TERMINATED', message: reason }, cause)
  }

  beStill(yields: { readonly queue: string | undefined }): void {
    this.#yields ??= yields
    this.#unwritten.withdrawTentative()
    this.settleSoon()
  }

  /** What is on its way to be recorded comes first. */
  settleSoon(): void {
    this.#unsettledCount += 1
    this.#holder.soon(() => {
      this.#unsettledCount -= 1
      this.#site.changed()
    })
  }

  #advance(): boolean {
    if (this.#stands !== undefined || this.#advanced) return false
    this.#advanced = true
    this.#site.execution?.advance()
    return true
  }

  /** Nothing starts from here on. Children that are being started exist before they are looked for; should this node die, the next one begins again. */
  #tellChildren({ reason }: TerminateOrder): void {
    if (this.#children !== 'as they are') return
    this.#children = 'being told'
    this.#unwritten.withdrawTentative()
    void Promise.allSettled(this.#childStarts)
      .then(() => this.#holder.terminateChildren(this.#site.identity, reason))
      .then(() => {
        this.#children = 'told'
        this.#site.suspectStimulus()
      })
      .catch(() => this.#site.lost())
  }
}
