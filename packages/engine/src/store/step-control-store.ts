import type { BreakerStore } from './breaker-store.ts'
import type { LimitStore } from './limit-store.ts'
import type { PartStore } from './part-store.ts'
import type { ProgressStore } from './progress-store.ts'

/** What decides whether a step may run now, and tells how far it has come. */
export interface StepControlStore {
  readonly limits: LimitStore
  readonly breakers: BreakerStore
  readonly progress: ProgressStore
  readonly parts: PartStore
}
