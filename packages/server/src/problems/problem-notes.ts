// Generated from docs/reference/errors.md by "npm run generate": do not edit.

/** What happened, and what to do, by code. In the Markdown of that page. */
export const problemNotes: Readonly<Record<string, string>> = {
  ACTIVITY_TYPE_NOT_FOUND: 'This node has no activity type of that name. `GET /activity-types` lists those it has.',
  ALREADY_RESUMED: 'The bookmark was consumed by another resume. Nothing to do: it happened once.',
  API_KEY_NOT_FOUND: 'No such API key of your tenant. `lockstep key list` shows them.',
  ARCHIVE_FAILED:
    'The archive of retention did not take an instance that was to be deleted, so it was not deleted. The log of the node says why; then delete it again.',
  ARCHIVE_INCOMPLETE: 'The archive of a retention sweep settled before it had read all lines: nothing was deleted.',
  BACKUP_DAMAGED:
    '(command line) The file is no backup, is cut off, or is not as it was written. Nothing was restored.',
  BAD_REQUEST: 'The request cannot be read. The detail names the part.',
  BODY_TOO_COMPLEX:
    'The body is nested deeper, or has more members, than its route takes: 64 levels and 50,000 members (`LOCKSTEP_BODY_DEPTH`, `LOCKSTEP_BODY_MEMBERS`), 400 and 1,000,000 for workflows. `limit` and `pointer` say which limit, and where. Flatten it, or send less at once.',
  BODY_TOO_LARGE: 'The request body is over the limit of its route. Store large data elsewhere and pass a reference.',
  BOOKMARK_AMBIGUOUS: 'The instance waits at several bookmarks and none was named. Name one of those listed.',
  BOOKMARK_EXPIRED:
    "The bookmark's time is over, and the instance has gone on without it. Its journal says how; `lockstep instances get` shows what it waits for now.",
  BOOKMARK_NOT_FOUND:
    'The instance does not wait at such a bookmark, and will not, or there is no such instance. `waitingFor` of the instance names what it waits for.',
  BROKER_REFUSED:
    'Redis or RabbitMQ will not take a message: no such exchange, no right, no queue. Mend the step or the broker.',
  BROKER_UNAVAILABLE:
    'Redis or RabbitMQ cannot be reached, or did not confirm. The message may have arrived: a repetition has the same message id.',
  BREAKER_NOT_FOUND: 'No breaker with this key ever opened. `lockstep breakers list` shows those that did.',
  BREAKER_OPEN: "The step's breaker is open and the step does not wait for it (`whenOpen: fail`): it was not tried.",
  CANCELLED: 'What was waited for was cancelled.',
  CANNOT_LISTEN: 'The address cannot be listened on. Choose another with `--host` and `--port`.',
  CHILD_FAILED: 'A workflow that this one ran did not complete.',
  CLUSTER_NAME_MISMATCH:
    'The database belongs to a cluster of another name. Set `LOCKSTEP_CLUSTER_NAME` to that name, or name another database.',
  CLUSTER_NEEDS_DATABASE:
    '`cluster dev` found no PostgreSQL on this machine, and none was named. Install one, or give `--database-url`.',
  COMMAND_FAILED: 'A command that `verify-cluster` was given ended badly. The message has what it said.',
  COMMIT_UNKNOWN:
    'The connection was lost while something was being committed: it may or may not have happened. Look before repeating it; the engine does so by itself.',
  CONNECTION_LOST: 'The connection was lost and nothing was committed.',
  COORDINATOR_CLOSED: 'A call to the toolkit came after `close()`, or was waiting when it was closed.',
  CROSS_SITE_REQUEST:
    'A browser sent the request on behalf of a page of another site, or under a host name that is not ours. Use Studio of this server, or name the site in `LOCKSTEP_CORS_ORIGINS`.',
  DATABASE_BUSY: 'No connection became free in time. Raise the pool, or send less at once.',
  DATABASE_CLOSED: 'A call came after the database was closed.',
  DATABASE_REFUSED: 'The database refused a statement; the details have the SQLSTATE.',
  DATABASE_TIMEOUT: 'A statement took too long and was rolled back.',
  DATABASE_UNREACHABLE:
    'The database cannot be used, or has not answered for some ten seconds; nothing was done. The message names the place and the fix where it is known.',
  DATA_FOLDER_IN_USE: 'Another process has the embedded store open. Stop it, or choose another folder.',
  DATA_FOLDER_UNREADABLE: 'The folder cannot be opened as an embedded store.',
  DEAD_LETTER_NOT_FOUND:
    'No such dead letter: it was tried again, discarded, or is older than `retention` keeps them. `lockstep dead-letters list` shows them.',
  DEAD_LETTER_UNREADABLE:
    'Nobody can read what came, so nobody can try it again as it is. Send the `input` that the workflow is to start with.',
  DEFINITION_EXISTS: 'A workflow with this id exists. Save its draft instead.',
  DEFINITION_INVALID: 'The document has problems; each has a pointer, a code and a text.',
  DEFINITION_IS_CODE:
    'The workflow is written as a function: it has no draft. Change the code and give it a new version.',
  DEFINITION_NOT_FOUND:
    'No such workflow, or no such version, is published. `lockstep definitions list` shows them; publish its draft first.',
  DEV_NODE_FAILED: 'A node of `cluster dev` ended before it listened. The message has what it said.',
  DRAFT_CHANGED: 'Somebody saved the draft meanwhile. Read it again and repeat the change.',
  DUPLICATE_ACTIVITY_TYPE: 'Two activities were registered under one type.',
  EFFECT_NOT_SUPPORTED:
    'The document asks for a transactional effect, and the code of that activity on this node has none. Define the activity as transactional, or change `effect`.',
  ENDED_BADLY:
    '(command line) The command was carried out, and what it found is bad news: it has been printed, and the exit code says it.',
  EXPRESSION_FAILED: 'An expression threw.',
  EXPRESSION_INVALID: 'An expression cannot be parsed; line and column are in the details.',
  EXPRESSION_LIMIT: 'An expression took too much time, memory, depth or output.',
  EXTERNAL_SERVER: '(testing) A server given by URL cannot be killed or paused by the harness.',
  FAULT_PROXY_CLOSED: '(testing) The fault proxy was closed.',
  FENCED: 'This node was buried by the others; what it still held may not be written. It rejoins by itself.',
  FLOW_KEY_FAILED:
    'A key or the priority of the flow policy cannot be computed from this input: the expression threw, gave nothing, or more than 200 characters. Nothing was started. Mend the input or the policy.',
  FLOW_POLICY_CHANGED: 'Somebody set the flow policy meanwhile. Read it again and repeat the change.',
  FLOW_POLICY_INVALID: 'The flow policy has problems; each has a pointer, a code and a text.',
  FLOW_POLICY_NOT_FOUND: 'The workflow never had a flow policy, or does not exist. Set one with `PUT`.',
  FORBIDDEN:
    'The caller is known, and may not do this. The detail names the permission; [permissions](permissions.md) has the roles.',
  FORM_INVALID: 'What was handed in does not fit the form of a human task. `problems` names each field.',
  HARNESS_NOT_BUILT: '(testing) Build the packages first.',
  HEADERS_TOO_LARGE: "The request's headers are over the limit.",
  HEARTBEAT_MISSED: 'An attempt gave no heartbeat within its `heartbeatTimeout`: it was aborted.',
  HTTP_FAILED: 'No answer: the name has no address, nobody listens, the connection was lost.',
  HTTP_REFUSED:
    'The answer has a status that is not expected; `data` has it and the beginning of the body. Mend the request, or `expectedStatus`.',
  HTTP_RESPONSE_TOO_LARGE: 'The answer is longer than `maxBytes`.',
  HTTP_RESPONSE_UNREADABLE: 'The answer says that it is JSON, and is not.',
  HTTP_REDIRECT_REFUSED:
    'An address answered with a redirect that would take the body of the request to another origin (scheme, host or port), or from https to http.',
  HTTP_TOO_MANY_REDIRECTS: 'More than five redirects in a row.',
  HTTPS_REQUIRED:
    'The link opens something, and `LOCKSTEP_REQUIRE_HTTPS` is on: use the https address. A proxy that ends TLS must be named in `LOCKSTEP_TRUST_PROXY` and send `X-Forwarded-Proto`.',
  HTTP_UNAVAILABLE: 'The answer says "later": 408, 425, 429 or 5xx. `data.retryAfterMs` is what it asks for.',
  IDEMPOTENCY_IN_PROGRESS:
    'The first request with this `Idempotency-Key` is still being answered. Repeat it in a moment.',
  IDEMPOTENCY_KEY_REUSED:
    'This `Idempotency-Key` was used for another request of the same kind. Choose a new key, or send what was sent then.',
  IF_MATCH_REQUIRED:
    'Saving a draft, a schedule or a flow policy needs the ETag that was read, in `If-Match`. Read it, and send its ETag.',
  IMPORT_INVALID: 'A document of the import has errors: nothing was written. `documents` has every place.',
  INCIDENT_NOT_FOUND:
    'No such incident: it was deleted with its instance, belongs to another tenant, or never was. `lockstep incidents list` shows them.',
  INCIDENT_RESOLVED: 'Somebody resolved the incident before.',
  INPUT_INVALID: "The input does not fit the workflow's schema.",
  INSTANCE_ENDED:
    'The instance has ended already, so nothing can be asked of it. What has faulted can be retried; anything can be forked.',
  INSTANCE_HELD:
    'There is a hold on the instance, on its workflow or on everything: nothing of that is deleted. `hold` and `reason` say which and why. `lockstep retention release` takes it away.',
  INSTANCE_NOT_ENDED:
    'Only what has ended can be deleted; `instanceStatus` says how the instance stands. Cancel or terminate it first.',
  INSTANCE_NOT_FOUND:
    'No such instance: retention has deleted it, it belongs to another tenant, or it never was. `lockstep instances list` shows those that are there.',
  INSTANCE_UNDONE:
    'What the instance did was undone, so there is nothing to go on from. Start another one, or fork it from a fact before that.',
  INSTANCE_UNSETTLED:
    'The schedule that started the instance has not taken note of its end yet. Delete it in a moment.',
  INSTANCE_WRONG_STATE:
    'The instance cannot do this as it stands; `instanceStatus` says how that is. `lockstep why` says what it waits for.',
  INTERNAL: 'Something we did not foresee. The log has the trace; please report it.',
  INVALID_CURSOR:
    'The cursor is not one that this list gave out, or was given out under another filter or order. Begin again without it, and pass `page.next` as it is.',
  INVALID_DURATION: 'Write `500ms`, `30s`, `5m`, `2h`, `7d` or ISO 8601.',
  INVALID_FACT: 'A journal holds a fact that cannot follow the ones before it. Please report it.',
  INVALID_FILTER: '(client) The text of a filter cannot be read. Write `name=value`, or `name>=value` for times.',
  INVALID_ID:
    'An id has another form or names another kind of thing. Ids begin with their kind: `wfi_` an instance, `inc_` an incident, `bop_` a batch operation.',
  INVALID_LOCK_NAME: 'A name of a lock is empty, too long or has control characters: 1 to 512 characters.',
  INVALID_OPTION: 'An option has a value that it may not have; the message says which are allowed.',
  INVALID_PART:
    'A part of a result cannot be handed out: its number leaves a gap, its attempt is over, or the step has no parts.',
  INVALID_PROGRESS: 'What a step reported as its progress is none: a fraction from 0 to 1, or `{ done, total, note }`.',
  INVALID_REQUEST: 'A field or parameter of the request is wrong; the detail names it.',
  ISSUER_UNREACHABLE:
    'The OpenID issuer, or its keys, cannot be reached: tokens cannot be checked at the moment. API keys still work.',
  JOB_CYCLE: 'Jobs wait for one another in a circle; the message names it.',
  JOB_UNKNOWN: 'A job runs after one that no node has registered. Register it too, or mend its name.',
  LEASE_LOST:
    'The lease is not certainly held any more; `reason` says why (expired, taken, revoked, stalled, closed, released). Stop what it protected; the resource must check the fence.',
  CACHE_NOT_FOUND: 'A node has no cache of this name. `GET /caches` lists them.',
  LIMIT_NOT_FOUND: 'No step ever asked for this limit, and nobody set it. Keys are those that the steps name.',
  LOCAL_POSTGRES_FAILED:
    'The PostgreSQL that `cluster dev` starts did not come up. The message has its folder and what it said.',
  LOCKS_NOT_CONFIGURED: 'A workflow asked for a lock on an engine that was opened without `locks`.',
  LOCK_IS_INSTANCE:
    'The key is an instance that a living node works on: it is not taken away. Cancel or terminate the instance.',
  LOCK_KIND_MISMATCH: 'The name is in use as another kind of lock. Give the two different names.',
  LOCK_LAB_NOT_OFFERED:
    'Only nodes of `lockstep dev` and `lockstep cluster dev` have a lock lab: it makes locks that nobody needs.',
  LOCK_NOT_FOUND:
    'Nobody holds the lock or waits for it, so there is nothing to release. `lockstep locks list` shows those that are held.',
  LOCK_TIMEOUT: 'The lock did not become free in time. Wait longer, or look at who holds it.',
  MAIL_REFUSED: 'The mail server refused the mail, its recipients or our credentials for good.',
  MAIL_UNAVAILABLE: 'The mail server cannot be reached, or asks to come back later.',
  MALFORMED_JSON:
    'The body is not JSON, or JSON that cannot be kept: it has U+0000 in a text, or a member called `__proto__` or `constructor.prototype`. The detail says which, and where.',
  METHOD_NOT_ALLOWED: 'The path exists, with other methods.',
  MIGRATION_BLOCKED: 'A migration could not get its locks in time. Try again when long transactions have ended.',
  MIGRATION_CHANGED: 'A migration that was applied has other contents now. Restore the file.',
  MIGRATION_IMPOSSIBLE: 'The instance cannot go on as that version; `problems` says what is in its way.',
  MOVE_MISMATCH:
    '(command line) After `move` had copied a table, the rows on both sides were not the same. Everything was undone, and the embedded store is as it was.',
  MOVE_TARGET_NOT_EMPTY: '(command line) `move` only writes into an empty database. Name another one.',
  NODE_NOT_FOUND:
    'No node has this id: it has left, was buried, or never was. `lockstep cluster status` lists those that are there.',
  NODE_STARTING: 'The node is opening its store. Come back in a moment; `/health/startup` says what it waits for.',
  NODE_WRONG_STATE:
    'The node of `cluster dev` is not in a state for this: what is dead cannot be killed, what runs cannot be revived. `processes` of `GET /cluster/nodes` has the states.',
  NON_DETERMINISTIC:
    'The code of a function workflow no longer follows its journal. Give the changed code a new version.',
  NOTHING_TO_FORK: 'At that fact nothing was left to do. Name an earlier one.',
  NOT_DEV_CLUSTER:
    'Only the nodes of `lockstep cluster dev` are killed, frozen and revived over the API. Elsewhere drain a node, or stop its process.',
  NOT_FOUND: 'There is nothing at this path.',
  NOT_JSON: 'A value cannot be kept as JSON; the pointer says where.',
  OPERATION_NOT_FOUND: 'No such batch operation. `lockstep batches list` shows them.',
  OPERATION_OVER: 'The batch operation is done or cancelled already. Begin another one with those that were left.',
  OUTBOUND_BLOCKED:
    'A step wants to reach a private, reserved or local address, or speaks neither http nor https. An operator can allow it: `outbound.allow`.',
  OUTBOUND_NOT_CONFIGURED:
    'This node has no mail server, broker, connection or sender for the step. The message names the option.',
  OVERLOADED:
    'The request waited for room on a busy node and got none. Nothing of it was done; repeat it after `Retry-After`.',
  PARENT_NOT_ENDED:
    'The workflow that ran this instance has not ended, and would run it once more. Delete it when that one (`parentId`) has ended.',
  PARENT_TOLD: 'The workflow that ran this instance may have taken note of its end. Retry that one, or force it.',
  PAYLOAD_TOO_LARGE:
    'An input, output or payload is over 1 MiB of JSON, or over `limits.payloadBytes` inside of an instance.',
  PORT_IN_USE: 'Another program listens there. Choose another port.',
  PROVIDER_UNAVAILABLE: 'The store of the locks cannot be reached. Nothing runs unlocked: try again when it is back.',
  RATE_LIMITED: 'Too many attempts of this kind, such as failed sign-ins. Come back after the time in `Retry-After`.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  RESUME_IN_PROGRESS: 'The instance is being worked on and does not wait at this bookmark yet.',
  ROUTE_WITHOUT_PERMISSION:
    '(boot) A route of the server declares no permission: it would be open. Add `permission` to it.',
  SANDBOX_UNAVAILABLE: 'The thread for expressions could not be started.',
  SCHEDULE_CHANGED: 'Somebody changed the schedule meanwhile. Read it again and repeat the change.',
  SCHEDULE_EXISTS: 'A schedule with this id exists. Replace it with `PUT` and its ETag, or choose another id.',
  SCHEDULE_INVALID: 'The schedule has problems; each has a pointer, a code and a text.',
  SCHEDULE_NOT_FOUND: 'No such schedule. `lockstep schedules list` shows them.',
  SCHEDULE_OWNED: 'The schedule belongs to a published workflow or a job. Change that instead.',
  SCHEMA_OUTDATED: 'Migrations are pending and this process may not apply them.',
  SCHEMA_TOO_NEW:
    'The database was migrated by a newer version, in a way that this one cannot run beside. Upgrade this node.',
  SECRET_KEYS_MISSING: 'The node has no key to seal secrets with. Set `LOCKSTEP_SECRET_KEYS` on all nodes.',
  SECRET_NOT_FOUND: 'No such secret of your tenant. `lockstep secret list` shows them.',
  SECRET_UNUSABLE:
    'A secret that a step names is not set for its tenant, no key of this node opens it, or it is too short to sign with. The message has the fix; then retry the instance.',
  SERVER_FAILED: '(testing) A server did not come up; its last log lines are in the message.',
  SERVER_MISSING: '(testing) A server is not installed; the message names the packages.',
  SERVER_PROBLEM:
    '(client) The server refused; `details.problem` has its own code and sentence, which the command line prints in place of this one.',
  SERVER_STOPPED: '(testing) The server was stopped.',
  SERVER_UNREACHABLE:
    '(client) No node answers at the address. Start one, or name another; on the command line with `--url`.',
  SHUTTING_DOWN: 'The node is stopping. Ask another one.',
  SIGN_IN_FAILED: 'The name or the password is wrong, or the user is disabled; the answer does not say which.',
  SINGLETON_BUSY: 'An instance is alive, and its flow policy allows one at a time. The details name it.',
  SQL_FAILED: '(testing) A statement of the harness failed.',
  SQL_REFUSED: 'The database refused the statement of a `sql-query`; `data.sqlstate` says why.',
  SQL_UNAVAILABLE:
    'A named connection gave no answer; `data.unclear` says whether the statement may have been committed.',
  STALE_FENCE: 'The resource has seen a later fence: whoever wrote this has lost its lock. Nothing was written.',
  START_THROTTLED:
    'The workflow was started as often as its flow policy allows. The details say when the next start is taken.',
  START_UNCLEAR:
    'The database went away while an instance was being started, and did not say whether it has kept the start: the instance named may run, or come to run when the database is back. Look for it. The same call is safe to repeat only with the `Idempotency-Key` or the `dedupeKey` that it had (`retryable` says whether it had one): without, it may start a second one.',
  STEP_FAILED: 'A step of a function workflow failed for good; `details.code` is what it failed with.',
  STEP_NOT_FOUND: 'The instance never began a step of that name; `steps` lists those it did.',
  SWEEP_IN_PROGRESS: 'Another node is sweeping at this moment.',
  TASK_ALREADY_COMPLETED: 'The task was completed or failed already: the first one counts. Nothing to do.',
  TASK_API_FAILED: 'A worker could not reach the server, or was refused by it. `taskWorker` tries again by itself.',
  TASK_CANCELLED:
    'Nobody waits for the task any more: its step timed out, or its workflow was cancelled or ended. Stop working on it.',
  TASK_LEASE_LOST:
    'The claim on the task has ended, and perhaps another worker has it: what was done under it does not count. Claim again.',
  TASK_NOT_FOUND:
    'No such task: it ended more than a week ago, belongs to another tenant, or never was. `lockstep tasks list` and `lockstep human-tasks list` show them.',
  TASK_NOT_YOURS:
    'A human task names who may do it, and the caller is none of them; or the caller said the name of somebody else. Operators may act for one of those whom it names: `by`.',
  TERM_ENDED: 'A term of an election has ended: lost, resigned, failed, or too few members.',
  TEST_STEP_UNKNOWN:
    'A test run names a step, to stop at or to pin, that the saved draft does not have. Save the draft first, or name another step.',
  TIMED_OUT: 'Something took longer than it was given.',
  TOKEN_NOT_FOUND: 'The token is wrong, has expired, or is not needed any more; all of them are answered alike.',
  TOO_MANY_PARTS: 'An instance hands out more than 100,000 parts. Put more into each.',
  TOO_MANY_PERMITS: 'More permits were asked for than the semaphore has.',
  TOO_MANY_REQUESTS:
    'The node has more requests than it can work on. Send fewer at once, and repeat this one after `Retry-After`.',
  TOO_MANY_ROWS: 'A `sql-query` answers more rows than `maxRows`. Nothing of it was committed.',
  TRANSACTION_UNDONE:
    'The database undid the transaction of a step several times in a row. It may take too long, or wait inside for something else.',
  UNAUTHENTICATED: 'No valid credentials came with the request. Send `Authorization: Bearer …`, or sign in.',
  UNEXPECTED_ROW_COUNT: 'A statement answered more or fewer rows than it can. Please report it.',
  UNKNOWN_ACTIVITY_TYPE: 'This node has no code for an activity of the graph; another one may.',
  UNKNOWN_OUTCOME: 'A human task has no such outcome. `outcomes` lists those there are.',
  UNSAFE_START: '(boot) The options together would leave the server open. The message names the option and the fix.',
  UNSUPPORTED_MEDIA_TYPE: 'Send `application/json`.',
  USAGE: '(command line) The words cannot be understood; the sentence says what to write.',
  USER_EXISTS: 'A user of this name exists already.',
  USER_NOT_FOUND: 'No such user of your tenant. `lockstep users list` shows them.',
  WORKFLOW_FAILED: '`run.result()`: the run ended otherwise than completed; details say where and why.',
  WORKFLOW_FAULT: 'A workflow raised a failure on purpose (activity `fault`).',
  WORKFLOW_NOT_REGISTERED: 'This node has no code for a function workflow. Pass it to `lockstep({ workflows })`.',
  WOULD_OVERWRITE: '(command line) A file or folder of that name is there already. Name another one, or say `--force`.',
}
