import { abortable, errorMessage, type JsonObject, LazyAbort, TimedOut } from '@lockstep/base'
import type { Lease } from '@lockstep/coordination'
import type { CompletedResult, TransactionalActivity } from '../../activity/activity-handler.ts'
import { requireDeclared } from '../../graph/fact-checks.ts'
import type { CompletedFact } from '../../journal/fact.ts'
import type { AttemptEnd, Passed } from '../../limit/passed-gate.ts'
import { SecretUnusable } from '../../outbound/errors.ts'
import { silentOutlet } from '../../progress/attempt-outlet.ts'
import { inTransaction, reasonOf } from '../../step/in-transaction.ts'
import { runPoliced } from '../../step/policed-attempt.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { UserTransaction } from '../../store/transaction-store.ts'
import { enterThen } from './enter-step.ts'
import { fillThen } from './inputs-with-secrets.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { activityContext, checkedResult, completedFact, eventOf, requireRoom } from './settle-step.ts'

/**
 * Runs code whose statements commit together with the fact that the step completed. It waits for a moment at which nothing of the
 * instance is unwritten; from then on until it is committed or rolled back the graph is frozen, because its fact comes next in the
 * journal, whatever else happens meanwhile. Until it has that moment nothing new begins, or it might never come.
 */
export function runTransaction(graph: LiveGraph, run: Run, handler: TransactionalActivity, inputs: JsonObject): void {
  // Before anything is open: an embedded store has one connection, and the transaction would wait for itself.
  fillThen(graph, run, inputs, (filled) => enter(graph, run, handler, filled, inputs))
}

function enter(
  graph: LiveGraph,
  run: Run,
  handler: TransactionalActivity,
  inputs: JsonObject,
  unfilled: JsonObject,
): void {
  if (run.activity.policies?.isGated !== true) return transact(graph, run, handler, inputs, undefined)
  enterThen(
    graph,
    run,
    (passed) => transact(graph, run, handler, inputs, passed),
    () => runTransaction(graph, run, handler, unfilled),
  )
}

function transact(
  graph: LiveGraph,
  run: Run,
  handler: TransactionalActivity,
  inputs: JsonObject,
  passed: Passed | undefined,
): void {
  const { step } = run
  const abort = new LazyAbort(graph.host.abort)
  // An instance that is lost never hears how its transaction ended: it was rolled back.
  if (passed !== undefined)
    graph.host.abort.signal.addEventListener('abort', () => passed.leave('untried'), { once: true })
  graph.running.set(step, abort)
  graph.activeCount += 1
  graph.awaitedTransactionCount += 1

  const finish = (fold: () => void, end: AttemptEnd, why?: () => string): void => {
    passed?.leave(abort.signal.aborted ? 'untried' : end, why)
    abort.release()
    graph.running.delete(step)
    graph.activeCount -= 1
    graph.transacting = undefined
    fold()
    graph.freeze.end()
    graph.goOn()
  }
  const attempt = transactionAttempt(graph, run, handler, inputs, abort, passed?.lease)
  graph.host
    .transact({
      begin: () => {
        graph.awaitedTransactionCount -= 1
        graph.transacting = step
        graph.freeze.begin()
      },
      run: inTransaction(step, attempt),
      applied: ({ facts }, at) => finish(() => graph.foldWritten(facts, at), 'completed'),
      failed: (error) =>
        finish(
          () => {
            if (graph.isCancelling) graph.rolledBack = run
            else if (graph.isAlive(step)) graph.fail(run, reasonOf(error))
          },
          'failed',
          () => graph.secrets.text(errorMessage(error)),
        ),
    })
    .catch(() => undefined) // `failed` was told
}

/** The code under the step's time-out, which counts on when the database asks for another run; and the fact it leads to. */
function transactionAttempt(
  graph: LiveGraph,
  run: Run,
  handler: TransactionalActivity,
  inputs: JsonObject,
  abort: LazyAbort,
  lease: Lease | undefined,
) {
  const { step, activity } = run
  const { clock } = graph.shell
  const what = `Step "${step}"`
  let begunAt: number | undefined
  return async (tx: UserTransaction) => {
    begunAt ??= clock.monotonic()
    const leftMs = activity.timeoutMs === undefined ? undefined : begunAt + activity.timeoutMs - clock.monotonic()
    if (leftMs !== undefined && leftMs <= 0) throw new TimedOut({ what, afterMs: activity.timeoutMs! })
    const bounds = { timeoutMs: leftMs, heartbeatMs: undefined, lease }
    const result = await runPoliced(clock, abort, what, bounds, async (own) => {
      const { signal } = own
      signal.throwIfAborted()
      const context = {
        ...activityContext(graph, run, own, silentOutlet(run.step), { fence: lease?.fence }),
        signal,
        tx,
        secret: notInside,
      }
      return abortable(Promise.resolve(handler.run(inputs, context)), signal)
    })
    const fact = graph.secrets.fact(factOf(graph, run, result))
    const [event] = graph.secrets.events([eventOf(graph, result)].filter((each) => each !== undefined))
    return { result: undefined, change: { facts: [fact], ...(event === undefined ? {} : { publishes: [event] }) } }
  }
}

/** Everything that could make the fact one that cannot be folded is found here, before it is written. */
function factOf({ program, shell }: LiveGraph, run: Run, result: CompletedResult): CompletedFact {
  if (result?.kind !== 'completed') {
    const message = `Step "${run.step}" runs inside a transaction: it can complete or fail, nothing else`
    throw new WorkflowFault({ message, faultCode: 'INVALID_RESULT' })
  }
  const checked = checkedResult(run, result, shell.limits)
  requireRoom(run, checked, shell.limits)
  const fact = completedFact(run, checked)
  requireDeclared(program, fact, fact.assign)
  return fact
}

const notInside = async (name: string): Promise<never> => {
  throw new SecretUnusable({
    name,
    why: 'cannot be read inside a transaction: name it in the inputs, { "$secret": "…" }',
  })
}
