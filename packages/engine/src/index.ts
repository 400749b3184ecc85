export { Type } from 'typebox'
export * from './activity/activity-handler.ts'
export { type ActivityRegistry, activityRegistry } from './activity/activity-registry.ts'
export * from './activity/activity-type.ts'
export { type ActivityAnswer, defineActivity } from './activity/define-activity.ts'
export type { CacheStats } from './cache/cache-counters.ts'
export type { CacheTier } from './cache/cache-tier.ts'
export type { Caches } from './cache/caches.ts'
export { FRESH_MS, type InstanceState, type StateAnswer } from './cache/instance-states.ts'
export { StartUnclear } from './commit/errors.ts'
export type { DeadLetter, DeadLetterContent } from './dead-letter/dead-letter-store.ts'
export { DeadLetters, type DeadLettersOptions } from './dead-letter/dead-letters.ts'
export * from './dead-letter/errors.ts'
export * from './definition/definitions.ts'
export * from './definition/errors.ts'
export type { ExportOptions } from './definition/export-definitions.ts'
export type * from './definition/import-report.ts'
export { isTag } from './definition/tags.ts'
export type { DoctorOptions, DoctorReport, Finding } from './doctor/doctor.ts'
export { examineWithoutEngine } from './doctor/examine-without-engine.ts'
export * from './engine.ts'
export type { EngineOptions } from './engine-options.ts'
export type { PublishedTo, PublishRequest, ResumeOutcome, ResumeRequest } from './event/stimuli.ts'
export * from './expression/errors.ts'
export type { PreviewResult } from './expression/preview.ts'
export type { ExpressionScope } from './expression/scope.ts'
export * from './flow/errors.ts'
export type { ChosenFlowPolicy, Flow } from './flow/flow.ts'
export type { FlowKey, FlowPolicy, FlowSpan, FlowValue, SingletonRule } from './flow/flow-policy.ts'
export type { FlowLoad, FlowPolicyRow } from './flow/flow-store.ts'
export * from './function/errors.ts'
export * from './function/workflow.ts'
export type * from './function/workflow-context.ts'
export type { GatePass, GateProvider } from './gate/gate-provider.ts'
export { type LockGateOptions, lockGate } from './gate/lock-gate.ts'
export * from './graph/document.ts'
export * from './graph/graph-errors.ts'
export * from './graph/graph-problem.ts'
export type { MigrationProblem } from './graph/migrate/migration-problem.ts'
export type { ActivityMapping } from './graph/migrate/rename-steps.ts'
export { suggestion } from './graph/nearest-name.ts'
export type { CompensationView } from './graph/saga/compensation.ts'
export * from './graph-document/diff/diff-graphs.ts'
export type * from './graph-document/diff/graph-change.ts'
export * from './graph-document/editor-schema.ts'
export * from './graph-document/elsa/from-elsa.ts'
export type { DocumentFormat, TextProblem } from './graph-document/text/text-entry.ts'
export * from './graph-document/workflows-run.ts'
export type {
  Incidents,
  ListGroups,
  ListIncidents,
  ResolveAlike,
  ResolvedAlike,
  ResolveOptions,
  ResolveOutcome,
  TendOptions,
  TendOutcome,
} from './incident/incidents.ts'
export type { ActivitiesAt } from './instance/activities-at.ts'
export type { ActivityStatus, ActivitySummary } from './instance/activity-tally.ts'
export { type InstanceEnd, isEnded } from './instance/instance-results.ts'
export type { ScopeAt, ScopeRequest } from './instance/scope-at.ts'
export type { WaitState } from './instance/standing.ts'
export type { StateAt, StepState } from './instance/state-at.ts'
export type { TimelinePage, TimelinePlace, TimelineRequest } from './instance/timeline-reader.ts'
export { type SpanKind, type SpanStatus, spanKinds, type TimelineSpan } from './instance/timeline-span.ts'
export type { BatchItem, BatchOutcome } from './job/batch.ts'
export * from './job/dependency.ts'
export * from './job/errors.ts'
export { type AnyJob, type Job, type JobOptions, job } from './job/job.ts'
export type { BatchRequest, Jobs } from './job/jobs.ts'
export * from './journal/fact.ts'
export type { BreakerControl } from './limit/breaker-control.ts'
export type { EngineLimits } from './limit/engine-limits.ts'
export * from './limit/errors.ts'
export type { LimitSetting, Limits } from './limit/limits.ts'
export * from './live/live-event.ts'
export { LiveFeed, type LiveFeedOptions, type LiveFollower, type LiveFollowing } from './live/live-feed.ts'
export type { Chore, ChoreReport } from './maintenance/chore.ts'
export { trimAudit, trimDeadLetters } from './maintenance/chores.ts'
export type { Maintenance, RoundResult } from './maintenance/maintenance.ts'
export { type RollUpOptions, rollUpMetrics } from './maintenance/roll-up-metrics.ts'
export { maintenanceLock } from './maintenance/run-alone.ts'
export { type StaleLeasesOptions, watchStaleLeases } from './maintenance/watch-stale-leases.ts'
export type { Cluster } from './membership/cluster.ts'
export type { Heart, Heartbeat } from './membership/heart.ts'
export type { EngineMetrics, MeasuredInstance } from './metrics/engine-metrics.ts'
export type { ChannelPublisher, ChannelResult } from './outbound/channel-publisher.ts'
export type { ExchangeMessage, ExchangePublisher, ExchangeResult } from './outbound/exchange-publisher.ts'
export type { Mail, MailAddress, MailAttachment, Mailer, MailResult } from './outbound/mailer.ts'
export type { Outbound } from './outbound/outbound.ts'
export { type BoundSecret, LONGEST_SECRET_NAME, SECRET_NAME, type Secrets } from './outbound/secrets.ts'
export type { SqlConnections, SqlResult } from './outbound/sql-connections.ts'
export {
  type ReceivedWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookVerdict,
} from './outbound/webhook/verify-webhook.ts'
export { InvalidPart, TooManyParts } from './progress/errors.ts'
export { MOST_PART_BYTES, MOST_PARTS } from './progress/part-writer.ts'
export {
  type FollowOptions,
  MOST_READ,
  PartialResults,
  type ProgressNow,
  type ReadPartsOptions,
  type ResultPage,
} from './progress/partial-results.ts'
export { type Archive, archiveToStream } from './retention/archive.ts'
export type { DeleteOptions, DeleteOutcome } from './retention/delete-instance.ts'
export * from './retention/errors.ts'
export type { HoldScope, Retention, RuleScope } from './retention/retention.ts'
export type { Keep, RetentionOptions } from './retention/retention-options.ts'
export type { SweepReport } from './retention/sweep.ts'
export * from './schedule/errors.ts'
export type { OfficeChange } from './schedule/office.ts'
export type { PreviewLine } from './schedule/preview.ts'
export type { JobRun, StoredDocument } from './schedule/run-input.ts'
export type * from './schedule/schedule.ts'
export type { ScheduleProblem, ScheduleProblemCode } from './schedule/schedule-problem.ts'
export { scheduleSchema } from './schedule/schedule-schema.ts'
export type { FiredRuns } from './schedule/scheduler.ts'
export type * from './schedule/schedules.ts'
export type { SchedulerMode } from './schedule/scheduling.ts'
export { validateSchedule } from './schedule/validate-schedule.ts'
export * from './secret/errors.ts'
export { MOST_SECRET_HOSTS, secretHost } from './secret/secret-hosts.ts'
export { parseSecretKeys, type SecretKey } from './secret/secret-keys.ts'
export type { SecretRecord, SecretStore } from './secret/secret-store.ts'
export { type Rotation, SecretVault, type SecretVaultOptions } from './secret/secret-vault.ts'
export { DEFAULT_TENANT, type StartedInstance, type StartRequest } from './start/start-request.ts'
export { HeartbeatMissed } from './step/beating.ts'
export * from './step/payload.ts'
export { InvalidProgress, type Progress } from './step/progress-reports.ts'
export * from './step/workflow-fault.ts'
export type { BreakerChange, BreakerState, BreakerWait, StoredBreaker } from './store/breaker-store.ts'
export type {
  DefinitionFilter,
  DefinitionSummary,
  DefinitionVersion,
  Draft,
  VersionSummary,
} from './store/definition-store.ts'
export type { BoundedCount, Consumer } from './store/definition-usage-store.ts'
export type { EngineStore } from './store/engine-store.ts'
export * from './store/errors.ts'
export type { HumanTaskFilter, HumanTaskStatus, HumanTaskView } from './store/human-task-store.ts'
export type {
  GroupFilter,
  Incident,
  IncidentFilter,
  IncidentGroup,
  IncidentHistogram,
} from './store/incident-store.ts'
export type { InstanceView, JournalRow } from './store/instance-reader.ts'
export type { LimitRule, StoredLimit } from './store/limit-store.ts'
export { lockNameOf } from './store/lock-name.ts'
export type { Area, BrokenRow, FindingCode, KeptAs, RetentionRule, RuleName } from './store/maintenance-store.ts'
export {
  type ClusterEvent,
  clusterEventKinds,
  type NodeRole,
  type NodeState,
  nodeRoles,
  nodeStates,
  type WantedState,
} from './store/membership-store.ts'
export type { BulkOperation, OperationFilter, OperationItem, OperationState } from './store/operation-store.ts'
export type { Part, PartPage, PartVerdict } from './store/part-store.ts'
export type { ProgressRow } from './store/progress-store.ts'
export type { RunOrigin, RunState, ScheduleRun } from './store/schedule-store.ts'
export type { TaskFilter, TaskStatus, TaskView } from './store/task-store.ts'
export type { UserTransaction } from './store/transaction-store.ts'
export type { EndpointView } from './store/trigger-store.ts'
export * from './task/errors.ts'
export type { CompleteHumanTask, HumanTaskOutcome, HumanTasks } from './task/human-tasks.ts'
export type { IssuedToken, ResumeTokens, TokenOutcome, TokenSubject, UseToken } from './task/resume-tokens.ts'
export type { ClaimTasksRequest, TaskFailure, TaskHold, TaskOutcome, Tasks } from './task/tasks.ts'
export { LONGEST_LEASE_MS, MOST_CLAIMED, MOST_PARTS_AT_ONCE, SHORTEST_LEASE_MS } from './task/tasks.ts'
export * from './test-run/errors.ts'
export type { Pin, Pins } from './test-run/pin.ts'
export type { TestRunRequest, TestRuns } from './test-run/test-runs.ts'
export { isTestTenant, testTenant } from './test-run/test-tenant.ts'
export type { EngineSpan, EngineTracer, SpanAttributes, SpanOptions } from './trace/engine-tracer.ts'
export { isReservedHeader } from './trigger/answer-headers.ts'
export { MOST_BYTES } from './trigger/endpoint.ts'
export type { AnswerOutcome, HttpAnswer } from './trigger/http-answers.ts'
export type { EndpointLookup, EndpointRequest, FoundEndpoint, HttpTriggers } from './trigger/http-triggers.ts'
export type { Bulk } from './verb/bulk/bulk.ts'
export type { BulkRequest, BulkVerb } from './verb/bulk/bulk-request.ts'
export type { ForkOptions } from './verb/fork.ts'
export type { MigrateOptions, MigrationCheck, MigrationForecast, MigrationPlan } from './verb/migrate.ts'
export type { RetryOptions } from './verb/retry.ts'
export type { VerbOptions } from './verb/verb-context.ts'
export type { ForkOutcome, MigrateOutcome, RetryOutcome, VerbOutcome } from './verb/verb-outcome.ts'
export type { PauseOptions, TerminateOptions, Verbs } from './verb/verbs.ts'
export type { Blocker, BlockerSource, WaitsFor, Why, WhyState } from './why/why.ts'
export type { CancelOptions } from './worker/graph/graph-outside.ts'
export type { WakeBus } from './worker/wake-bus.ts'
