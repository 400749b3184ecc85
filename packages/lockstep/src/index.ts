export {
  type ActivityContext,
  type ActivityResult,
  type AnyJob,
  type Archive,
  all,
  any,
  archiveToStream,
  atLeast,
  type CustomActivity,
  defineActivity,
  type EffectActivity,
  type EngineLimits,
  type FunctionWorkflow,
  type JobOptions,
  job,
  lockNameOf,
  onFailure,
  type ResumeOutcome,
  type Secrets,
  StepFailed,
  type TransactionalActivity,
  Type,
  type VerifyOptions,
  verifyWebhook,
  type WebhookVerdict,
  type WorkflowContext,
  WorkflowFault,
  type WorkflowLock,
  workflow,
} from '@lockstep/engine'
export { WorkflowFailed } from './errors.ts'
export {
  type ConfigOptions,
  defineConfig,
  type Lockstep,
  type LockstepOptions,
  lockstep,
  type Run,
  type StartOptions,
} from './lockstep.ts'
export { type NodeOptions, resolveNodeOptions } from './options/node-options.ts'
export type { RawOptions } from './options/raw-options.ts'
export { type RunningNode, startNode } from './start-node.ts'
export type { TaskContext, TaskHandler } from './worker-client/run-task.ts'
export { type ClaimedTask, TaskApiFailed } from './worker-client/task-api.ts'
export { type TaskWorker, type TaskWorkerOptions, taskWorker } from './worker-client/task-worker.ts'
