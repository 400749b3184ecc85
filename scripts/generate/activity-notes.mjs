/**
 * What the types of activities do not say about themselves. `failures`: codes besides those that every step can fail with; what they mean
 * stands in docs/reference/errors.md. `defaults`: of inputs whose description names none. `output`: where there is no schema.
 */
const LOOP = ['LIMIT_FAN_OUT']
const HTTP = ['HTTP_FAILED', 'HTTP_REFUSED', 'HTTP_UNAVAILABLE', 'OUTBOUND_BLOCKED', 'SECRET_UNUSABLE', 'TIMED_OUT']
const CHILD = ['TOO_DEEP', 'DEFINITION_NOT_FOUND', 'INPUT_INVALID', 'PAYLOAD_TOO_LARGE']
const schedule = {
  defaults: {
    misfire: 'fire-once',
    graceMs: 'the time to the next one, from 5 s to 60 s',
    overlap: 'skip',
    jitterMs: '0',
  },
  about: {
    graceMs: 'An occurrence that is late by no more than this has not been missed.',
    input: 'What each run is given as its input; without one, `{ scheduleId, key, scheduledAt }`.',
    jitterMs:
      'Each occurrence fires up to so many milliseconds later; how many follows from the occurrence, on every node alike.',
    calendars: 'Days on which nothing fires.',
    misfire: 'What becomes of occurrences that were missed: `fire-once`, `skip`, or `{ "catchUp": 1 to 1000 }`.',
    dst: '`skip`, `shift`, `once`, `twice`, or `{ "gap": …, "fold": … }`, for wall times that do not exist or exist twice.',
  },
}

export const activityNotes = {
  'for-each': { failures: LOOP },
  for: { failures: LOOP, defaults: { inclusive: 'true' } },
  while: { failures: ['TOO_MANY_TURNS'] },
  parallel: { failures: LOOP },
  'critical-section': {
    failures: ['LOCK_TIMEOUT', 'LEASE_LOST', 'LOCKS_NOT_CONFIGURED', 'INVALID_LOCK_NAME', 'LOCK_KIND_MISMATCH'],
    defaults: { ttl: 'of the lock store' },
  },
  compensate: { failures: ['COMPENSATION_FAILED'] },
  fault: {
    failures: ['WORKFLOW_FAULT'],
    defaults: { code: 'WORKFLOW_FAULT' },
    about: { code: 'Code that a catch can tell apart.' },
  },
  'wait-for-event': { defaults: { correlationId: 'that of the instance' } },
  script: { failures: ['SCRIPT_FAILED'] },
  'run-workflow': { failures: ['CHILD_FAULTED', 'CHILD_CANCELLED', 'TIMED_OUT', ...CHILD], defaults: { wait: 'true' } },
  'bulk-run': { failures: ['CHILDREN_FAILED', 'TIMED_OUT', 'LIMIT_FAN_OUT', 'TOO_DEEP', 'PAYLOAD_TOO_LARGE'] },
  'run-task': { failures: ['TASK_FAILED', 'TASK_ABANDONED', 'TASK_TIMED_OUT'] },
  'human-task': { failures: ['TASK_TIMED_OUT'] },
  'http-response': { output: 'The answer: `{ status, headers, body }`.' },
  'http-request': {
    failures: [
      ...HTTP,
      'HTTP_RESPONSE_TOO_LARGE',
      'HTTP_RESPONSE_UNREADABLE',
      'HTTP_TOO_MANY_REDIRECTS',
      'HTTP_REDIRECT_REFUSED',
    ],
  },
  webhook: { failures: [...HTTP, 'HTTP_RESPONSE_TOO_LARGE'] },
  'send-email': {
    defaults: { from: 'that of the node' },
    failures: ['MAIL_UNAVAILABLE', 'MAIL_REFUSED', 'OUTBOUND_NOT_CONFIGURED'],
  },
  'sql-query': {
    failures: ['SQL_REFUSED', 'SQL_UNAVAILABLE', 'TOO_MANY_ROWS', 'TRANSACTION_UNDONE', 'OUTBOUND_NOT_CONFIGURED'],
    defaults: { connection: 'the database of the engine' },
  },
  'redis-publish': { failures: ['BROKER_UNAVAILABLE', 'OUTBOUND_NOT_CONFIGURED'] },
  'rabbitmq-publish': {
    failures: ['BROKER_UNAVAILABLE', 'BROKER_REFUSED', 'OUTBOUND_NOT_CONFIGURED'],
    defaults: { mandatory: 'true on the default exchange' },
  },
  cron: { ...schedule, defaults: { ...schedule.defaults, dst: '`shift` and `once`; every hour: `skip` and `twice`' } },
  interval: { ...schedule, defaults: { ...schedule.defaults, anchor: '`startAt`, else 1970' } },
}
