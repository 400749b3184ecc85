import { type Random, seededRandom, uuidSource } from '@lockstep/base'
import type { EngineStore, WakeBus } from '@lockstep/engine/ports'
import type { FaultProfile } from './fault-profile.ts'
import { checkInvariants, type Observation } from './invariants.ts'
import { type SimulatedBus, simulatedBus } from './simulated-bus.ts'
import { type NodeConnection, type SimulatedStore, simulatedStore } from './simulated-store.ts'
import type { Violation } from './violation.ts'
import { type NodeClock, type VirtualClock, virtualClock } from './virtual-clock.ts'

export interface SimulationOptions {
  /** The same seed gives the same run, event by event. */
  readonly seed: number
  readonly faults?: FaultProfile
  readonly startAt?: number
}

/** All that a process has of the world. */
export interface SimulatedNode {
  readonly name: string
  readonly store: EngineStore
  readonly clock: NodeClock
  readonly random: Random
  readonly bus: WakeBus
  /** A uuid of version 7, from this node's own clock and randomness. */
  readonly newId: () => string
}

export interface Simulation {
  readonly clock: VirtualClock
  readonly store: SimulatedStore
  readonly bus: SimulatedBus
  /** For the scenario itself: when to crash whom. */
  readonly random: Random
  /** Starts a process. A name whose process crashed may be used again: a new process. */
  node(name: string, options?: { readonly skewMs?: number }): SimulatedNode
  /**
   * The only process there is: nobody watches its heart and nobody else changes anything, so it need not beat or poll. Open an engine with all
   * of it, and a month of timers takes milliseconds.
   */
  alone(): SimulatedNode & { readonly heartbeatMs: number; readonly pollMs: number }
  /** SIGKILL: its calls never answer, its timers never fire; what it had sent reaches the database or does not. */
  crash(name: string): void
  /** SIGSTOP and SIGCONT. */
  pause(name: string): void
  resume(name: string): void
  skew(name: string, skewMs: number): void
  run(ms: number): Promise<void>
  /** Runs until `holds`; `false` when it does not within `limitMs`. */
  runUntil(holds: () => boolean, limitMs?: number): Promise<boolean>
  /** Something the outside saw, to be held against the tables by `check`. */
  observe(observation: Observation): void
  check(): readonly Violation[]
}

interface Process {
  readonly node: SimulatedNode
  readonly connection: NodeConnection
}

/** Of a process that is alone. */
const CALM_MS = 86_400_000
/** How often `runUntil` looks, in virtual milliseconds. */
const LOOK_EVERY_MS = 10

export function simulation({ seed, faults, startAt }: SimulationOptions): Simulation {
  const clock = virtualClock(startAt === undefined ? {} : { startAt })
  const store = simulatedStore({ clock, random: fork(seed, 'store'), ...(faults && { faults }) })
  const bus = simulatedBus({ clock, random: fork(seed, 'bus') })
  const processes = new Map<string, Process>()
  const observations: Observation[] = []
  let births = 0

  const processOf = (name: string): Process => {
    const found = processes.get(name)
    if (found === undefined) throw new Error(`no process "${name}" runs`)
    return found
  }

  const begin = (name: string, skewMs: number): SimulatedNode => {
    if (processes.has(name)) throw new Error(`a process "${name}" runs already`)
    const view = clock.view({ skewMs })
    const random = fork(seed, `node ${name} ${births++}`)
    const connection = store.connect(view)
    const newId = uuidSource(view, random)
    const node = { name, store: connection.store, clock: view, random, bus: bus.connect(view), newId }
    processes.set(name, { node, connection })
    return node
  }

  return {
    clock,
    store,
    bus,
    random: fork(seed, 'scenario'),
    node: (name, { skewMs = 0 } = {}) => begin(name, skewMs),
    alone: () => {
      if (processes.size > 0) throw new Error('another process runs already')
      return { ...begin('alone', 0), heartbeatMs: CALM_MS, pollMs: CALM_MS }
    },
    crash: (name) => {
      const { node, connection } = processOf(name)
      processes.delete(name)
      node.clock.stop()
      connection.cut()
    },
    pause: (name) => processOf(name).node.clock.pause(),
    resume: (name) => processOf(name).node.clock.resume(),
    skew: (name, skewMs) => processOf(name).node.clock.setSkew(skewMs),
    run: (ms) => clock.advance(ms),
    runUntil: async (holds, limitMs = 600_000) => {
      const limit = clock.monotonic() + limitMs
      while (!holds()) {
        if (clock.monotonic() >= limit) return false
        await clock.advance(LOOK_EVERY_MS)
      }
      return true
    },
    observe: (observation) => void observations.push(observation),
    check: () => checkInvariants(store.inspect(), observations),
  }
}

/** A stream of its own for each part: what one draws does not change what the others get. */
function fork(seed: number, name: string): Random {
  let mixed = seed | 0
  for (const letter of name) mixed = (Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193) + 0x9e3779b9) | 0
  return seededRandom(mixed)
}
