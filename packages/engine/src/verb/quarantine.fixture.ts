import type { JsonObject } from '@lockstep/base'

export { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

export const chainOf = (...activities: JsonObject[]): JsonObject => ({
  activities,
  connections: activities.slice(1).map((each, index) => ({ from: activities[index]!.id!, to: each.id! })),
})
