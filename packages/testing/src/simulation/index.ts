export type { Guard } from './database.ts'
export { ConnectionLost, DatabaseRefused } from './errors.ts'
export { calmWeather, type FaultProfile, type FaultRates, roughWeather } from './fault-profile.ts'
export { checkInvariants, type Observation } from './invariants.ts'
export { type BusFaults, type SimulatedBus, simulatedBus } from './simulated-bus.ts'
export {
  type NodeConnection,
  type SimulatedStore,
  type SimulatedStoreOptions,
  simulatedStore,
} from './simulated-store.ts'
export { type SimulatedNode, type Simulation, type SimulationOptions, simulation } from './simulation.ts'
export type * from './tables.ts'
export type { Violation } from './violation.ts'
export {
  type ClockViewOptions,
  type NodeClock,
  type VirtualClock,
  type VirtualClockOptions,
  virtualClock,
} from './virtual-clock.ts'
