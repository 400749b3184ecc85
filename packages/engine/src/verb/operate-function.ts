import type { Clock, Json } from '@lockstep/base'
import type { FunctionMemo } from '../function/function-memo.ts'
import type { Fact, StepKey } from '../journal/fact.ts'
import { placeOf, unclearOutcome } from '../step/incident.ts'
import { bookmarksFor } from '../worker/bookmarks-for.ts'
import type { ExecutionOrder, ReopenOrder, ResolveOrder, RetryOrder } from '../worker/control-messages.ts'
import type { Change, ExecutionHost } from '../worker/execution.ts'
import { endOfChild } from './tell-child-ends.ts'

/** A function's run, as far as operators may change it. */
export interface OperatedFunction {
  readonly memo: FunctionMemo
  readonly host: ExecutionHost
  record(fact: Fact, more?: Omit<Change, 'facts'>): void
  /** Records the end of a step and wakes the code that waits for it. */
  settle(fact: Fact & { readonly step: StepKey }): void
  childEnded(step: StepKey, payload: Json): void
  readonly shell: { readonly clock: Clock }
  readonly isBegun: boolean
  readonly isDisposed: boolean
  whileActive<T>(work: () => Promise<T>): Promise<T>
}

/** Does what an operator asks of a function, or records why it cannot. */
export function operateFunction(run: OperatedFunction, order: ExecutionOrder): void {
  const { memo } = run
  const refuse = (reason: string): void => run.record({ kind: 'refused', verb: order.kind, reason })
  switch (order.kind) {
    case 'pause':
      return run.record({ kind: 'paused', ...(order.reason === undefined ? {} : { reason: order.reason }) })
    case 'continue':
      return memo.isPaused ? run.record({ kind: 'continued' }) : refuse('it is not paused')
    case 'assign':
      return refuse('functions have no variables')
    case 'resolve':
      return resolve(run, order, refuse)
    case 'reopen':
      return reopen(run, order)
    case 'retry':
      if (memo.saga.isUndone || (memo.saga.undoing !== undefined && order.step !== undefined))
        return refuse('what it did was undone')
      return memo.stands === 'faulted' || memo.stands === 'quarantined'
        ? retry(run, order)
        : refuse('nothing holds it up')
  }
}

/** The steps that an operator wants done again are forgotten; waits of the others get their bookmarks back. */
function retry(run: OperatedFunction, { step }: RetryOrder): void {
  const { memo, host } = run
  const hadEnded = memo.stands === 'faulted'
  const before = [...memo.waits.keys()]
  run.record({ kind: 'retried', ...(step === undefined ? {} : { step }) })
  if (!hadEnded) host.record({ closes: before.filter((each) => !memo.waits.has(each)) })
  else
    host.record({
      opens: [...memo.waits].flatMap(([at, { wait }]) => reopened(host, at, wait)),
      // What nobody knows the outcome of is still to be decided: the retry has closed the incident that asked.
      incidents: [...memo.waits]
        .filter(([at, { wait }]) => wait.kind === 'signal' && memo.announced.has(at))
        .map(([at]) => unclearOutcome(host.newId(), host.identity.definitionId, placeOf(at), at)),
    })
  askChildren(run)
}

/** Puts back what should stand outside for waits and does not. */
function reopen(run: OperatedFunction, { present = [], known = [] }: ReopenOrder): void {
  const { memo, host } = run
  const ids = new Map(known)
  const lost = [...memo.waits].filter(([step]) => !present.includes(step))
  host.record({ opens: lost.flatMap(([step, { wait }]) => reopened(host, step, wait, ids.get(step))) })
  askChildren(run)
}

/** Some may have ended while nobody was there to be told. */
function askChildren(run: OperatedFunction): void {
  for (const { step, instanceId } of [...childWaits(run.memo)]) void askChild(run, step, instanceId)
}

function askChild(run: OperatedFunction, step: StepKey, instanceId: string): Promise<void> {
  return run.whileActive(async () => {
    const end = await endOfChild(run.host, run.shell.clock, instanceId, () => !run.isDisposed)
    if (end !== undefined) run.childEnded(step, end)
  })
}

function reopened(
  host: ExecutionHost,
  step: StepKey,
  wait: Parameters<typeof bookmarksFor>[1] | { kind: 'retry' },
  id: string = host.newId(),
) {
  return wait.kind === 'retry' ? [] : bookmarksFor(step, wait, () => id)
}

function resolve(run: OperatedFunction, order: ResolveOrder, refuse: (reason: string) => void): void {
  const { memo, host } = run
  const { step, outcome, output, message = 'An operator said that it failed' } = order
  if (memo.waits.get(step)?.wait.kind !== 'signal') return refuse(`"${step}" does not wait for anybody`)
  const attempt = memo.attempts.get(step) ?? 1
  if (outcome === 'completed')
    run.settle({ kind: 'completed', step, outcome: 'done', output: output ?? null, by: 'operator' })
  else if (outcome === 'failed')
    run.settle({ kind: 'failed', step, attempt, error: { code: 'OUTCOME_FAILED', message, step } })
  else {
    const error = { code: 'OUTCOME_UNKNOWN', message: 'An operator had it tried again', step }
    run.record({ kind: 'retrying', step, attempt, error, delayMs: 0 })
  }
  host.record({ closes: [step] })
  // The code that waits there waits for an outcome: it runs again over the journal, and comes to the attempt.
  if (outcome === 'retry' && run.isBegun) host.readAnew()
}

function* childWaits(memo: FunctionMemo): Generator<{ step: StepKey; instanceId: string }> {
  for (const [step, { wait }] of memo.waits) if (wait.kind === 'child') yield { step, instanceId: wait.instanceId }
}
