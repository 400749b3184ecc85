import { abortable, type JsonObject, LazyAbort, TimedOut } from '@lockstep/base'
import type { CompletedResult, TransactionalActivity } from '../../activity/activity-handler.ts'
import { requireDeclared } from '../../graph/fact-checks.ts'
import type { CompletedFact } from '../../journal/fact.ts'
import { inTransaction, reasonOf } from '../../step/in-transaction.ts'
import { runAttempt } from '../../step/run-attempt.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { UserTransaction } from '../../store/transaction-store.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { activityContext, checkedResult, completedFact, eventOf } from './settle-step.ts'

/**
 * Runs code whose statements commit together with the fact that the step completed. It waits for a moment at which nothing of the
 * instance is unwritten; from then on until it is committed or rolled back the graph is frozen, because its fact comes next in the
 * journal, whatever else happens meanwhile. Until it has that moment nothing new begins, or it might never come.
 */
export function runTransaction(graph: LiveGraph, run: Run, handler: TransactionalActivity, inputs: JsonObject): void {
  const { step } = run
  const abort = new LazyAbort(graph.host.abort)
  graph.running.set(step, abort)
  graph.activeCount += 1
  graph.awaitedTransactionCount += 1

  const finish = (fold: () => void): void => {
    abort.release()
    graph.running.delete(step)
    graph.activeCount -= 1
    fold()
    graph.freeze.end()
    graph.goOn()
  }
  const attempt = transactionAttempt(graph, run, handler, inputs, abort)
  graph.host
    .transact({
      begin: () => {
        graph.awaitedTransactionCount -= 1
        graph.freeze.begin()
      },
      run: inTransaction(step, attempt),
      applied: ({ facts }, at) => finish(() => graph.foldWritten(facts, at)),
      failed: (error) => finish(() => graph.isAlive(step) && graph.fail(run, reasonOf(error))),
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
) {
  const { step, activity } = run
  const { clock } = graph.shell
  const what = `Step "${step}"`
  let begunAt: number | undefined
  return async (tx: UserTransaction) => {
    begunAt ??= clock.monotonic()
    const leftMs = activity.timeoutMs === undefined ? undefined : begunAt + activity.timeoutMs - clock.monotonic()
    if (leftMs !== undefined && leftMs <= 0) throw new TimedOut({ what, afterMs: activity.timeoutMs! })
    const result = await runAttempt(clock, abort, what, leftMs, async (own) => {
      const { signal } = own
      signal.throwIfAborted()
      const context = { ...activityContext(graph, run, own), signal, tx }
      return abortable(Promise.resolve(handler.run(inputs, context)), signal)
    })
    const fact = factOf(graph, run, result)
    const event = eventOf(graph, result)
    return { result: undefined, change: { facts: [fact], ...(event === undefined ? {} : { publishes: [event] }) } }
  }
}

/** Everything that could make the fact one that cannot be folded is found here, before it is written. */
function factOf({ program }: LiveGraph, run: Run, result: CompletedResult): CompletedFact {
  if (result?.kind !== 'completed') {
    const message = `Step "${run.step}" runs inside a transaction: it can complete or fail, nothing else`
    throw new WorkflowFault({ message, faultCode: 'INVALID_RESULT' })
  }
  const fact = completedFact(run, checkedResult(run, result))
  requireDeclared(program, fact, fact.assign)
  return fact
}
