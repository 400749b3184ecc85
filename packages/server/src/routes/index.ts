import { streamEvents } from '../live/stream-events.ts'
import type { AnyRoute } from '../route/route.ts'
import { getActivityType, getDocumentSchema, getScheduleSchema, listActivityTypes } from './activity-types.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { listAuditLog } from './audit-log.ts'
import {
  cancelOperation,
  continueOperation,
  getOperation,
  listOperationItems,
  listOperations,
  pauseOperation,
  startOperation,
} from './batch-operations.ts'
import { issueBookmarkToken } from './bookmark-token.ts'
import { listBookmarks } from './bookmarks.ts'
import { clearCache, invalidateCache, listCaches } from './caches.ts'
import { cancelInstance } from './cancel.ts'
import { getBreaker, listBreakers, resetBreaker, tripBreaker } from './circuit-breakers.ts'
import { cordonNode, drainNode, getNode, listClusterEvents, listLeaders, listNodes, uncordonNode } from './cluster.ts'
import { discardDeadLetter, getDeadLetter, listDeadLetters, retryDeadLetter } from './dead-letters.ts'
import { createDefinition, getDefinition, listDefinitions, putDefinition } from './definitions.ts'
import { deleteInstance } from './delete-instance.ts'
import { continueNode, killNode, pauseNode, reviveNode } from './dev-cluster.ts'
import { checkCluster, examine, repair } from './doctor.ts'
import { getDraft, publishDraft, putDraft } from './drafts.ts'
import { publishEvent } from './events.ts'
import { evaluateExpression, scopeOfInstance } from './expressions.ts'
import { deleteFlowPolicy, getFlowPolicy, listFlowPolicies, putFlowPolicy } from './flow-policies.ts'
import { forksOfInstance } from './forks.ts'
import { listEndpoints } from './http-endpoints.ts'
import { completeHumanTask, getHumanTask, issueToken, listHumanTasks } from './human-tasks.ts'
import {
  getIncident,
  groupIncidents,
  listIncidents,
  resolveAlike,
  resolveIncident,
  tendIncidents,
} from './incidents.ts'
import { activitiesOfInstance, compensationsOfInstance, stateOfInstance, whyInstance } from './insight.ts'
import { countInstances, getInstance, listInstances, searchInstances, startInstance } from './instances.ts'
import { readJournal } from './journal.ts'
import { deleteLimit, getLimit, listLimits, putLimit } from './limits.ts'
import { getLockContention } from './lock-contention.ts'
import { acquireInLab, getLockLab, releaseInLab, renewInLab, writeInLab } from './lock-lab.ts'
import { getLock, listLocks, releaseLock } from './locks.ts'
import { getMetricsDashboard } from './metrics-dashboard.ts'
import { queryMetrics } from './metrics-query.ts'
import { splitMetrics } from './metrics-split.ts'
import { progressOfInstance } from './progress.ts'
import { listQueues } from './queues.ts'
import { resultsOfInstance, streamResults } from './results.ts'
import { resumeInstance } from './resume.ts'
import { showToken, useToken } from './resume-token.ts'
import { forgetRule, listRules, releaseHold, saveHold, saveRule, sweepNow } from './retention.ts'
import {
  backfillSchedule,
  listRuns,
  previewDocument,
  previewSchedule,
  runDue,
  triggerSchedule,
} from './schedule-runs.ts'
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
} from './schedules.ts'
import { deleteSecret, listSecrets, putSecret, rotateSecrets } from './secrets.ts'
import { closeSession, getSession, openSession } from './session.ts'
import { endSessions } from './sessions.ts'
import { listSettings } from './settings.ts'
import {
  claimTasks,
  completeTask,
  emitTaskResults,
  failTask,
  getTask,
  heartbeatTask,
  listTasks,
  reportTaskProgress,
} from './tasks.ts'
import {
  activitiesOfTestRun,
  cancelTestRun,
  getTestRun,
  listTestRuns,
  readTestRunJournal,
  resumeTestRun,
  startTestRun,
  stateOfTestRun,
} from './test-runs.ts'
import { timelineOfInstance } from './timeline.ts'
import { exportDefinition, importDefinitions } from './transfer.ts'
import { changeUser, createUser, deleteUser, listUsers } from './users.ts'
import {
  continueInstance,
  forecastMigration,
  forkInstance,
  migrateInstance,
  pauseInstance,
  retryInstance,
  setInstanceVariables,
  terminateInstance,
} from './verbs.ts'
import {
  diffDefinition,
  discardDraft,
  getVersion,
  listConsumers,
  listVersions,
  republishVersion,
  retractDefinition,
} from './versions.ts'

/** Every operation under `/api/v1`. OpenAPI describes exactly these. */
export const apiRoutes: readonly AnyRoute[] = [
  createDefinition,
  listDefinitions,
  getDefinition,
  putDefinition,
  getDraft,
  putDraft,
  publishDraft,
  discardDraft,
  retractDefinition,
  listVersions,
  getVersion,
  republishVersion,
  diffDefinition,
  listConsumers,
  importDefinitions,
  exportDefinition,
  startTestRun,
  listTestRuns,
  getTestRun,
  readTestRunJournal,
  activitiesOfTestRun,
  stateOfTestRun,
  resumeTestRun,
  cancelTestRun,
  startInstance,
  listInstances,
  searchInstances,
  countInstances,
  getInstance,
  deleteInstance,
  readJournal,
  timelineOfInstance,
  stateOfInstance,
  activitiesOfInstance,
  scopeOfInstance,
  evaluateExpression,
  forksOfInstance,
  whyInstance,
  compensationsOfInstance,
  progressOfInstance,
  resultsOfInstance,
  streamResults,
  resumeInstance,
  issueBookmarkToken,
  cancelInstance,
  listBookmarks,
  terminateInstance,
  pauseInstance,
  continueInstance,
  retryInstance,
  forkInstance,
  migrateInstance,
  forecastMigration,
  setInstanceVariables,
  startOperation,
  listOperations,
  getOperation,
  listOperationItems,
  cancelOperation,
  pauseOperation,
  continueOperation,
  listDeadLetters,
  getDeadLetter,
  retryDeadLetter,
  discardDeadLetter,
  listIncidents,
  groupIncidents,
  tendIncidents,
  getIncident,
  resolveIncident,
  resolveAlike,
  publishEvent,
  streamEvents,
  claimTasks,
  heartbeatTask,
  reportTaskProgress,
  emitTaskResults,
  completeTask,
  failTask,
  getTask,
  listTasks,
  listHumanTasks,
  getHumanTask,
  completeHumanTask,
  issueToken,
  showToken,
  useToken,
  listEndpoints,
  createSchedule,
  listSchedules,
  getSchedule,
  putSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  triggerSchedule,
  backfillSchedule,
  previewSchedule,
  previewDocument,
  listRuns,
  runDue,
  listActivityTypes,
  getActivityType,
  getDocumentSchema,
  getScheduleSchema,
  listFlowPolicies,
  getFlowPolicy,
  putFlowPolicy,
  deleteFlowPolicy,
  listLimits,
  getLimit,
  putLimit,
  deleteLimit,
  listBreakers,
  getBreaker,
  resetBreaker,
  tripBreaker,
  listLocks,
  getLock,
  releaseLock,
  getLockContention,
  listQueues,
  queryMetrics,
  splitMetrics,
  getMetricsDashboard,
  listCaches,
  clearCache,
  invalidateCache,
  listNodes,
  getNode,
  cordonNode,
  uncordonNode,
  drainNode,
  killNode,
  pauseNode,
  continueNode,
  reviveNode,
  getLockLab,
  acquireInLab,
  renewInLab,
  releaseInLab,
  writeInLab,
  listLeaders,
  listClusterEvents,
  examine,
  checkCluster,
  repair,
  getSession,
  openSession,
  closeSession,
  endSessions,
  listSecrets,
  putSecret,
  deleteSecret,
  rotateSecrets,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  createUser,
  listUsers,
  changeUser,
  deleteUser,
  listAuditLog,
  listSettings,
  listRules,
  saveRule,
  forgetRule,
  saveHold,
  releaseHold,
  sweepNow,
]
