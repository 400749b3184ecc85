import type { Coordinator } from '@lockstep/coordination'

/** Where steps, and sections of workflows, get their locks. */
export type StepLocks = Pick<Coordinator, 'mutex'>
