/**
 * Opens instances that were claimed: from memory where this node had them last and nobody since, from their journals otherwise. What must be done
 * before anything of them runs is done here, and whoever took its owners down with it is put on probation or aside.
 */
import type { Claim, LoadedInstance } from '../store/agenda-store.ts'
import { isForNextOwner, isPutAside, orderOf } from './control-messages.ts'
import type { HeldInstance } from './held-instance.ts'
import type { HeldStart } from './holder.ts'
import type { Probation } from './probation.ts'
import type { WarmExecutions } from './warm-executions.ts'
import type { WorkerOptions } from './worker-options.ts'

/** The worker that they are opened for. */
export interface TakeOverSite {
  isStopped(): boolean
  /** It gives back what it has. */
  isDraining(): boolean
  hold(start: HeldStart): HeldInstance
  trace(held: HeldInstance): void
  release(held: HeldInstance, reason: unknown): void
  /** This node cannot run it: others may try. */
  cannotOpen(held: HeldInstance, error: unknown): void
  returnClaims(instanceIds: readonly string[]): Promise<void>
}

type TakeOverOptions = Pick<
  Required<WorkerOptions>,
  'store' | 'storeClock' | 'logger' | 'open' | 'operators' | 'traces' | 'mostCrashes'
>

export class TakeOver {
  readonly #o: TakeOverOptions
  readonly #warm: WarmExecutions
  readonly #probation: Probation
  readonly #site: TakeOverSite

  constructor(options: TakeOverOptions, warm: WarmExecutions, probation: Probation, site: TakeOverSite) {
    this.#o = options
    this.#warm = warm
    this.#probation = probation
    this.#site = site
  }

  async take(claims: readonly Claim[]): Promise<void> {
    if (this.#site.isStopped()) return
    if (this.#site.isDraining()) return this.#site.returnClaims(claims.map((claim) => claim.instanceId))
    const cold: Claim[] = []
    for (const claim of claims) {
      const warm = claim.crashes <= 1 ? this.#warm.take(claim.instanceId, claim.claimNo) : undefined
      if (warm === undefined) cold.push(claim)
      else {
        const held = this.#site.hold({ ...warm.rest, claimNo: claim.claimNo, crashes: claim.crashes })
        this.#site.trace(held)
        warm.execution.attach(held)
        held.begin(warm.execution)
        this.#continue(held, claim, warm.rest.stim)
      }
    }
    if (cold.length === 0) return
    const loaded = await this.#o.store.agenda.load(cold.map((claim) => claim.instanceId))
    if (this.#site.isStopped()) return // whoever buried this node has freed them
    if (this.#site.isDraining()) return this.#site.returnClaims(cold.map((claim) => claim.instanceId))
    const byId = new Map(loaded.map((each) => [each.instanceId, each]))
    // Not waited for: a suspect may take its time, and others must be claimed meanwhile.
    for (const claim of cold) void this.#open(claim, byId.get(claim.instanceId))
  }

  async #open(claim: Claim, loaded: LoadedInstance | undefined): Promise<void> {
    if (loaded === undefined) {
      this.#o.logger.error('claimed an instance that does not exist', { instanceId: claim.instanceId })
      return
    }
    const { snapshotSeq, snapshotAt, facts, openBookmarks, snapshot } = loaded
    const held = this.#site.hold({
      identity: loaded,
      claimNo: claim.claimNo,
      stim: claim.stim,
      crashes: claim.crashes,
      seq: facts.at(-1)?.seq ?? snapshotSeq,
      bookmarks: openBookmarks.map(({ id, step }) => [id, step] as const),
    })
    if (claim.crashes > this.#o.mostCrashes) {
      held.quarantine(claim.crashes - 1, isPutAside(loaded))
      return
    }
    if (this.#o.traces !== undefined) {
      await this.#o.traces.find(loaded, facts)
      this.#site.trace(held)
    }
    if (claim.crashes > 1) await this.#probation.enter(held)
    try {
      const heard = loaded.stim === 0 ? claim : await this.#revised(stimulatedBy(claim, loaded), loaded)
      if (heard === undefined) {
        this.#site.release(held, 'it is given back')
        this.#o.operators.onGivenBack()
        return
      }
      const execution = await this.#o.open(loaded, held)
      const shortcut = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
      execution.replay(shortcut, facts, claim.claimNo > 1)
      held.begin(execution)
      this.#continue(held, heard, 0)
    } catch (error) {
      if (!(await this.#terminateUnopened(held, claim))) this.#site.cannotOpen(held, error)
    }
  }

  /** An instance ends on any node, whether or not that could run it. `false`: nobody asked for it. */
  async #terminateUnopened(held: HeldInstance, claim: Claim): Promise<boolean> {
    if (claim.stim === 0 || held.execution !== undefined) return false
    try {
      const [inbox] = await this.#o.store.agenda.inbox([claim.instanceId])
      const order = inbox?.messages.map(orderOf).find((each) => each?.kind === 'terminate')
      if (inbox === undefined || order?.kind !== 'terminate') return false
      if (order.children === true) await this.#o.operators.terminateChildren(held.identity, order.reason)
      held.terminate(inbox, order)
      return true
    } catch {
      return false // the store is away: tried again when it is claimed again
    }
  }

  /**
   * Does what an operator asked for first, if that must be done before anything runs. Other messages wait for it: a paused instance keeps
   * those for later. What was read is heard before anything runs: a start that was cancelled while it waited does nothing. `undefined`: the
   * claim was given back.
   */
  async #revised(claim: Claim, loaded: LoadedInstance): Promise<Claim | undefined> {
    const { messages, stim } = claim.messages === undefined ? await this.#inboxOf(claim) : claim
    if (messages === undefined) return claim
    const first = messages.find((message) => orderOf(message) !== undefined)
    const order = first && orderOf(first)
    if (first === undefined || order === undefined || !isForNextOwner(order)) return { ...claim, stim, messages }
    const prepared = await this.#o.operators.revise(claim, loaded, first, order)
    return prepared && { ...claim, stim, messages: messages.map((each) => (each === first ? prepared : each)) }
  }

  async #inboxOf(claim: Claim): Promise<Pick<Claim, 'stim' | 'messages'>> {
    const [inbox] = await this.#o.store.agenda.inbox([claim.instanceId])
    return inbox ?? claim
  }

  #continue(held: HeldInstance, claim: Claim, seenStim: number): void {
    const { instanceId, stim, messages } = claim
    if (messages !== undefined) held.hear({ instanceId, stim, messages })
    else if (stim !== seenStim) held.expectMessages()
    held.fire(this.#o.storeClock.now())
  }
}

/** Something may have been sent between the claim and the load: its bookmark is gone, and nobody who was told knew whom to tell. */
const stimulatedBy = (claim: Claim, { stim }: LoadedInstance): Claim =>
  stim === claim.stim ? claim : { ...claim, stim, messages: undefined }
