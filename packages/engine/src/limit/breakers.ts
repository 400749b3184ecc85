/**
 * Circuit breakers: each node counts the failures that it sees; the one whose count is full proposes to open, and the store agrees if nothing
 * has changed since that node looked. From then on nobody tries, until its time is over and one node makes one probe. The generation of the
 * row is the fence: a count, or the result of a probe, that belongs to an older one changes nothing.
 *
 * A view may be a second old, and a message makes it new: a few attempts may still be made just after it opened.
 */
import { type Clock, errorMessage, type Logger, shortDuration } from '@lockstep/base'
import type { BreakerPolicy } from '../step/step-policies.ts'
import type { BreakerName, BreakerStore, StoredBreaker } from '../store/breaker-store.ts'
import { FailureWindow } from './failure-window.ts'

export interface BreakersOptions {
  readonly store: BreakerStore
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
  /** Others should look again. */
  readonly onChanged: () => void
}

export type BreakerView =
  | { readonly kind: 'closed'; readonly generation: number }
  | { readonly kind: 'open'; readonly inMs: number; readonly reason: string | undefined }
  /** Its time is over: one may try, see `probe`. */
  | { readonly kind: 'probe' }

interface Known {
  readonly breaker: StoredBreaker | undefined
  readonly readAt: number
}

const VIEW_MS = 1_000
/** How long others wait for a probe under way before they look again. */
const PROBE_LOOK_MS = 1_000
/** A probe that takes longer is given up, and another one made. */
const SHORTEST_PROBE_MS = 30_000
const MOST_KNOWN = 10_000

export class Breakers {
  readonly #o: BreakersOptions
  readonly #known = new Map<string, Known>()
  readonly #failures = new Map<string, FailureWindow>()
  #reading: { readonly names: Map<string, BreakerName>; readonly done: Promise<void> } | undefined

  constructor(options: BreakersOptions) {
    this.#o = options
  }

  /** What this node knows may have changed. */
  forget(): void {
    this.#known.clear()
  }

  async view(name: BreakerName): Promise<BreakerView> {
    const id = idOf(name)
    const now = this.#o.clock.monotonic()
    let known = this.#known.get(id)
    if (known === undefined || now - known.readAt > VIEW_MS) {
      await this.#read(name)
      known = this.#known.get(id)
    }
    return viewOf(known?.breaker, this.#o.clock.monotonic() - (known?.readAt ?? now))
  }

  /** `undefined`: somebody else probes, or it is not time. */
  async probe(name: BreakerName, { openMs }: BreakerPolicy): Promise<number | undefined> {
    this.#known.delete(idOf(name))
    return this.#o.store.probe(name, this.#o.nodeId(), Math.max(openMs, SHORTEST_PROBE_MS))
  }

  /** An attempt ended that a closed breaker, of this generation, had let through. */
  ended(name: BreakerName, policy: BreakerPolicy, generation: number, failed: boolean, why?: () => string): void {
    if (!failed) return
    const id = idOf(name)
    const now = this.#o.clock.monotonic()
    let window = this.#failures.get(id)
    if (window === undefined || window.generation !== generation) {
      if (this.#failures.size >= MOST_KNOWN) this.#failures.clear()
      window = new FailureWindow(generation)
      this.#failures.set(id, window)
    }
    if (!window.add(now, policy)) return
    this.#failures.delete(id)
    const reason = `${policy.failures} failures within ${shortDuration(policy.windowMs)}`
    const note = { reason: `${reason}${why === undefined ? '' : `, the last: ${why()}`}`, nodeId: this.#o.nodeId() }
    this.#decide(
      name,
      this.#o.store.trip({ ...name, openMs: policy.openMs, needed: policy.halfOpen, reason }, generation, note),
    )
  }

  /** A probe ended. */
  probed(name: BreakerName, generation: number, passed: boolean, why?: () => string): void {
    const reason = passed ? undefined : why?.()
    this.#decide(name, this.#o.store.settle(name, this.#o.nodeId(), generation, passed, reason))
  }

  #decide(name: BreakerName, decision: Promise<boolean>): void {
    decision
      .then((changed) => {
        this.#known.delete(idOf(name))
        if (changed) this.#o.onChanged()
      })
      .catch((error: unknown) =>
        this.#o.logger.warn('breaker not changed', { key: name.key, reason: errorMessage(error) }),
      )
  }

  /** All that are asked for within one turn are read together. */
  #read(name: BreakerName): Promise<void> {
    if (this.#reading === undefined) {
      const names = new Map<string, BreakerName>()
      const done = new Promise<void>((resolve, reject) => {
        this.#o.clock.soon(() => {
          this.#reading = undefined
          this.#load(names).then(resolve, reject)
        })
      })
      this.#reading = { names, done }
    }
    this.#reading.names.set(idOf(name), name)
    return this.#reading.done
  }

  async #load(names: ReadonlyMap<string, BreakerName>): Promise<void> {
    const readAt = this.#o.clock.monotonic()
    const rows = await this.#o.store.read([...names.values()])
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    for (const id of names.keys()) this.#known.set(id, { breaker: undefined, readAt })
    for (const breaker of rows) this.#known.set(idOf(breaker), { breaker, readAt })
  }
}

function viewOf(breaker: StoredBreaker | undefined, ageMs: number): BreakerView {
  if (breaker === undefined || breaker.state === 'closed')
    return { kind: 'closed', generation: breaker?.generation ?? 0 }
  const inMs = breaker.openForMs - ageMs
  if (inMs > 0) return { kind: 'open', inMs, reason: breaker.reason }
  const probeForMs = (breaker.probeForMs ?? 0) - ageMs
  return probeForMs > 0
    ? { kind: 'open', inMs: Math.min(probeForMs, PROBE_LOOK_MS), reason: breaker.reason }
    : { kind: 'probe' }
}

const idOf = ({ tenant, key }: BreakerName): string => JSON.stringify([tenant, key])
