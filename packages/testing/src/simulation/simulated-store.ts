import type { Clock, Random } from '@lockstep/base'
import type { EngineStore } from '@lockstep/engine/ports'
import { emptyDatabase, type Guard } from './database.ts'
import { calmWeather, type FaultProfile, type Journey } from './fault-profile.ts'
import { linkedStore } from './linked-store.ts'
import { simulatedLink } from './simulated-link.ts'
import type { Tables } from './tables.ts'
import type { NodeClock } from './virtual-clock.ts'

export interface SimulatedStoreOptions {
  /** The database's own clock, never a node's. */
  readonly clock: Clock
  readonly random: Random
  /** @default calmWeather */
  readonly faults?: FaultProfile
}

/** A connection of one node. */
export interface NodeConnection {
  readonly store: EngineStore
  /** For a crash: no answer arrives any more; what is under way happens or does not. */
  cut(): void
}

/** A database in memory with the semantics of the PostgreSQL store. Every transaction is one step of virtual time. */
export interface SimulatedStore {
  connect(
    caller: NodeClock,
    onCall?: (call: { readonly name: string; readonly journey: Journey }) => void,
  ): NodeConnection
  /** Calls without latency or faults, for checkers and for tests that need no time. */
  readonly direct: EngineStore
  /** The tables themselves: look, do not touch. */
  inspect(): Tables
  useFaults(profile: Partial<FaultProfile>): void
  /** Takes rules away: a checker that stays silent then checks nothing. */
  without(...guards: readonly Guard[]): void
  /** As a store that never asks who writes. */
  withoutFence(): void
}

export function simulatedStore({ clock, random, faults = calmWeather }: SimulatedStoreOptions): SimulatedStore {
  const database = emptyDatabase(() => clock.now())
  let profile = faults
  return {
    connect: (caller, onCall) => {
      const link = simulatedLink({ clock, caller, random, profile: () => profile, ...(onCall && { onCall }) })
      return { store: linkedStore(database, link), cut: link.cut }
    },
    direct: linkedStore(database, { call: async (_name, _writes, step) => step() }),
    inspect: () => database.tables,
    useFaults: (changed) => {
      profile = { ...profile, ...changed }
    },
    without: (...guards) => database.remove(guards),
    withoutFence: () => database.remove(['fence', 'claim', 'chain']),
  }
}
