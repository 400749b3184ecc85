/**
 * Critical sections of one graph. A lease lives in a process, a workflow does not: while a section is open its lock is held by whichever
 * node has the instance, which therefore keeps it in hand; after a move the lock is taken again before anything inside goes on. Whoever
 * has to wait for a lock stands in its queue for a short while with the claim in hand, then gives the claim back and asks again later.
 */
import type { JsonObject } from '@lockstep/base'
import { type Lease, LockTimeout, ProviderUnavailable } from '@lockstep/coordination'
import type { CompiledExpression } from '../../expression/expression.ts'
import { LocksNotConfigured } from '../../function/errors.ts'
import { isConnected } from '../../graph/graph-program.ts'
import type { ExecutionState } from '../../graph/graph-state.ts'
import type { StepToRun } from '../../graph/ready.ts'
import { handOutAgain } from '../../graph/ready.ts'
import { openWaits } from '../../graph/waits.ts'
import type { Fact, StepKey } from '../../journal/fact.ts'
import { lockOf, sectionsAround } from './critical-section-around.ts'
import { type Asked, msOf, tryLock } from './critical-section-ask.ts'
import type { SectionSite } from './critical-section-site.ts'

/** How long a place in the queue is kept with the claim in hand. */
const IN_HAND_MS = 2_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

type Run = StepToRun<CompiledExpression>

export class Sections {
  readonly #graph: SectionSite
  readonly #isUsed: boolean
  /** Everything that was granted and not given back, whether or not its section knows yet. */
  readonly #leases = new Set<Lease>()
  readonly #held = new Map<StepKey, Lease>()
  readonly #asking = new Map<StepKey, AbortController>()
  /** Steps that wait until the section around them is held again. */
  readonly #parked = new Map<StepKey, StepKey[]>()
  /** When those are asked for again that were busy; the store's clock. */
  readonly #askAt = new Map<StepKey, number>()
  readonly #pauseMs = new Map<StepKey, number>()

  constructor(graph: SectionSite) {
    this.#graph = graph
    this.#isUsed = graph.program.activities.some(({ container }) => container === 'critical-section')
  }

  get heldCount(): number {
    return this.#held.size
  }

  get nextAskAt(): number | undefined {
    return this.#askAt.size === 0 ? undefined : Math.min(...this.#askAt.values())
  }

  /** A section is to begin. */
  enter(run: Run, inputs: JsonObject): void {
    const { step } = run
    const graph = this.#graph
    const lock = String(inputs.lock)
    if (graph.shell.locks === undefined) return graph.fail(run, new LocksNotConfigured({ name: lock }))
    const around = sectionsAround(this.#graph.state, step).find((each) => each.lock === lock)
    if (around !== undefined) return graph.fold(this.#opened(run, { lock, ttlMs: undefined }, around.fence))
    const ttlMs = msOf(inputs.ttl)
    void this.#ask(step, { lock, ttlMs }, 0, () => {
      const timeoutMs = msOf(inputs.waitTimeout)
      if (timeoutMs === 0) return this.timedOut(step)
      const wait = {
        kind: 'lock',
        name: lock,
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      } as const
      graph.fold({ kind: 'waiting', step, wait })
      this.#askAgain(step)
    })
  }

  /** Whether a step stands in a section whose lock is not held here. It is handed out again when it is. */
  holdsBack(step: StepKey): boolean {
    if (!this.#isUsed) return false
    const unheld = sectionsAround(this.#graph.state, step).findLast((each) => !this.#isHeld(each.step))
    if (unheld === undefined) return false
    const parked = this.#parked.get(unheld.step)
    if (parked === undefined) this.#parked.set(unheld.step, [step])
    else parked.push(step)
    this.#askAgain(unheld.step)
    return true
  }

  /** After a replay: whatever was held or asked for is asked for again. */
  resume(): void {
    if (!this.#isUsed) return
    const { state } = this.#graph
    for (const { step, wait } of openWaits(state)) if (wait.kind === 'lock') this.#askAgain(step)
    for (const [step, { container, phase }] of Object.entries(state.executions)) {
      if (container?.rule === 'critical-section' && phase === 'open' && !this.#isHeld(step)) this.#askAgain(step)
    }
  }

  fire(now: number): void {
    for (const [step, at] of this.#askAt) if (at <= now) this.#askAgain(step)
  }

  /** Gives back the locks of sections that are over. */
  tend(): void {
    if (!this.#isUsed) return
    for (const [step, lease] of this.#held) {
      if (this.#graph.isAlive(step)) continue
      this.#held.delete(step)
      void this.#giveBack(lease)
    }
    for (const [step, asking] of this.#asking) if (!this.#graph.isAlive(step)) asking.abort('no longer wanted')
    for (const step of this.#askAt.keys()) if (!this.#graph.isAlive(step)) this.#askAt.delete(step)
  }

  /** It waited as long as it may. */
  timedOut(step: StepKey): void {
    const graph = this.#graph
    const { state, program } = graph
    const execution = state.executions[step]!
    const activity = program.byId.get(execution.activity)!
    if (isConnected(activity, 'timeout'))
      return graph.fold({ kind: 'completed', step, outcome: 'timeout', by: 'timer' })
    const wait = state.waits[step]?.wait
    const [name, waitMs] = wait?.kind === 'lock' ? [wait.name, wait.timeoutMs ?? 0] : [execution.activity, 0]
    const { code, message } = new LockTimeout({ name, waitMs })
    graph.fold({ kind: 'failed', step, attempt: execution.attempt, error: { code, message, step } })
  }

  dispose(reason: unknown): void {
    for (const asking of this.#asking.values()) asking.abort(reason)
    this.#held.clear()
    for (const lease of this.#leases) this.#release(lease)
  }

  #askAgain(step: StepKey): void {
    const asked = lockOf(this.#graph.state, step)
    if (asked !== undefined) void this.#ask(step, asked, IN_HAND_MS, () => this.#pause(step))
  }

  async #ask(step: StepKey, asked: Asked, waitMs: number, busy: () => void): Promise<void> {
    const graph = this.#graph
    if (this.#asking.has(step) || graph.isDisposed) return
    const asking = new AbortController()
    this.#asking.set(step, asking)
    this.#askAt.delete(step)
    graph.activeCount += 1
    let refused: unknown
    const lease = await tryLock(graph, step, asked, waitMs, asking.signal).catch((error: unknown) => {
      if (!ProviderUnavailable.is(error)) refused = error
      return undefined // a store of locks that is away is waited for like a lock that is taken
    })
    if (lease !== undefined) this.#leases.add(lease)
    if (graph.isDisposed && lease !== undefined) return this.#release(lease)
    graph.freeze.afterwards(() => {
      this.#asking.delete(step)
      graph.activeCount -= 1
      if (lease !== undefined) this.#granted(step, asked, lease)
      else if (graph.isAlive(step) && refused === undefined) busy()
      else if (graph.isAlive(step)) this.#fail(step, refused)
      graph.goOn()
    })
  }

  #granted(step: StepKey, asked: Asked, lease: Lease): void {
    const graph = this.#graph
    const execution = graph.isAlive(step) ? graph.state.executions[step] : undefined
    if (execution === undefined) return this.#release(lease)
    this.#held.set(step, lease)
    this.#pauseMs.delete(step)
    graph.activeCount += 1
    lease.signal.addEventListener('abort', () => this.#lost(step, lease), { once: true })
    const fence = String(lease.fence)
    graph.fold(
      execution.container === undefined
        ? this.#opened(this.#runOf(step, execution), asked, fence)
        : { kind: 'locked', step, fence },
    )
    for (const inside of this.#parked.get(step) ?? []) this.#handOut(inside)
    this.#parked.delete(step)
  }

  #opened({ step, activity: { timeoutMs } }: Run, { lock, ttlMs }: Asked, fence: string): Fact {
    return {
      kind: 'opened',
      step,
      lock,
      fence,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
  }

  #lost(step: StepKey, lease: Lease): void {
    const graph = this.#graph
    graph.freeze.afterwards(() => {
      if (this.#held.get(step) !== lease) return
      this.#forget(step)
      this.#leases.delete(lease)
      if (graph.isAlive(step)) this.#fail(step, lease.signal.reason)
      graph.goOn()
    })
  }

  #fail(step: StepKey, error: unknown): void {
    const { attempt } = this.#graph.state.executions[step]!
    this.#graph.fold({ kind: 'failed', step, attempt, error: this.#graph.failureOf(error, step) })
  }

  /** Others may enter when what was done inside is durable. It stays in hand until then: one that rests is told nothing more. */
  async #giveBack(lease: Lease): Promise<void> {
    const graph = this.#graph
    await graph.host.durable()
    this.#release(lease)
    graph.freeze.afterwards(() => {
      graph.activeCount -= 1
      graph.goOn()
    })
  }

  #forget(step: StepKey): void {
    this.#held.delete(step)
    this.#graph.activeCount -= 1
  }

  #release(lease: Lease): void {
    this.#leases.delete(lease)
    lease.release().catch(() => undefined) // it goes on being released in the background
  }

  #pause(step: StepKey): void {
    const { host, shell } = this.#graph
    const ms = Math.min(LONGEST_PAUSE_MS, 2 * (this.#pauseMs.get(step) ?? FIRST_PAUSE_MS / 2))
    this.#pauseMs.set(step, ms)
    this.#askAt.set(step, host.storeNow() + ms * (1 - 0.5 * shell.random.next()))
  }

  /** What was held back may have been cancelled meanwhile. */
  #handOut(step: StepKey): void {
    const { state } = this.#graph
    if (!this.#graph.isAlive(step)) return
    const wait = state.waits[step]
    if (wait?.wait.kind === 'retry') handOutAgain(state, step)
    else state.ready.push(step)
  }

  /** One inside another with the same lock stands under the lock of the other. */
  #isHeld(step: StepKey): boolean {
    if (this.#held.has(step)) return true
    const { container } = this.#graph.state.executions[step]!
    const lock = container?.rule === 'critical-section' ? container.lock : undefined
    const around = sectionsAround(this.#graph.state, step).find((each) => each.lock === lock)
    return around !== undefined && this.#isHeld(around.step)
  }

  #runOf(step: StepKey, { activity, attempt }: ExecutionState): Run {
    return { step, activity: this.#graph.program.byId.get(activity)!, attempt, unclear: false }
  }
}
