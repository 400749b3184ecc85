export {
  type ActivityContext,
  type ActivityResult,
  type AnyJob,
  all,
  any,
  atLeast,
  type CustomActivity,
  type EffectActivity,
  type FunctionWorkflow,
  type JobOptions,
  job,
  onFailure,
  type ResumeOutcome,
  StepFailed,
  type TransactionalActivity,
  type WorkflowContext,
  WorkflowFault,
  type WorkflowLock,
  workflow,
} from '@lockstep/engine'
export { WorkflowFailed } from './errors.ts'
export { defineConfig, type Lockstep, type LockstepOptions, lockstep, type Run, type StartOptions } from './lockstep.ts'
export { type NodeOptions, resolveNodeOptions } from './options/node-options.ts'
export type { RawOptions } from './options/raw-options.ts'
export { type RunningNode, startNode } from './start-node.ts'
