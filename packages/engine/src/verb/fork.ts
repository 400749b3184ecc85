import { InvalidOption, isUuid } from '@lockstep/base'
import { WorkflowNotRegistered } from '../definition/errors.ts'
import { DOOR_QUEUE } from '../flow/arrived-start.ts'
import { FunctionMemo } from '../function/function-memo.ts'
import { applyFact } from '../graph/apply-fact.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import { canGoOn } from '../graph/migrate/fork-state.ts'
import { openWaits } from '../graph/waits.ts'
import { type ForkedFact, factFromRow, factToRow, type StartedFact, type Wait } from '../journal/fact.ts'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import { toPayload } from '../step/payload.ts'
import type { RecordedFact } from '../store/agenda-store.ts'
import type { NewBookmark } from '../store/commit-store.ts'
import { bookmarksFor } from '../worker/bookmarks-for.ts'
import { checkVariables } from './check-variables.ts'
import { readHistory } from './read-history.ts'
import type { VerbContext, VerbOptions } from './verb-context.ts'
import type { ForkOutcome } from './verb-outcome.ts'

export interface ForkOptions extends Omit<VerbOptions, 'operationId'> {
  /** Number of the last fact to take over. @default the newest */
  readonly at?: number
  /** In place of the original's. What is recorded already stays as it is. */
  readonly input?: unknown
  /** New values for variables. Graphs only. */
  readonly variables?: Readonly<Record<string, unknown>>
  /** @default the original's */
  readonly correlationId?: string
  /** Two forks with the same key are one instance. */
  readonly dedupeKey?: string
}

/** Positions of one transaction have room for so many. */
const MOST_FACTS = 500_000

/**
 * Begins a new instance as a copy of another one, as that was after one of its facts. The original is left as it is. Where its workflow has a
 * flow policy the copy is written at the door, and asks for its turn from there: should this node die in between, another one sees it there.
 */
export async function forkInstance(
  context: VerbContext,
  instanceId: string,
  options: ForkOptions = {},
): Promise<ForkOutcome> {
  const { tenant = DEFAULT_TENANT, correlationId, dedupeKey } = options
  checkText(correlationId, 'correlationId')
  checkText(dedupeKey, 'dedupeKey')
  checkPosition(options.at)
  const history = isUuid(instanceId) ? await readHistory(context.store.instances, tenant, instanceId) : undefined
  const at = options.at ?? history?.facts.at(-1)?.seq
  if (history === undefined || at === undefined || history.facts[at - 1] === undefined) return { outcome: 'not-found' }
  const { view } = history
  const { definitionId } = view
  const facts = history.facts.slice(0, at)
  const version = versionAt(history.facts, at, view.version)
  const of = { tenant, definitionId, version }
  const variables = options.variables && (await checkVariables(context, of, options.variables))
  const forked: ForkedFact = { kind: 'forked', from: instanceId, at, ...(variables && { variables }) }
  const started = factFromRow(facts[0]!) as StartedFact
  const input = 'input' in options ? toPayload(options.input ?? null, 'The input') : started.input
  const plan = await context.planner.plan(tenant, definitionId, version)
  if (plan.checksInput) await context.planner.checkInput(tenant, definitionId, version, input)
  const copy = await copyAt(context, of, facts, forked)
  if ('status' in copy) return { outcome: 'nothing-to-do', at, status: copy.status }
  const correlation = correlationId ?? view.correlationId
  const first: StartedFact = { ...started, input, ...(correlation === undefined ? {} : { correlationId: correlation }) }
  const place = await context.flow.place(tenant, definitionId, input)
  const newId = context.newId()
  const verdict = await context.store.verbs.fork({
    ...{ tenant, nodeId: context.nodeId(), sourceId: instanceId, atSeq: at, instanceId: newId, version },
    ...{ correlationId: correlation, dedupeKey, queue: place === undefined ? plan.queue : DOOR_QUEUE },
    opens: copy.opens,
    ...{ started: factToRow(first), forked: factToRow(forked) },
  })
  if (verdict.kind === 'not-found') return { outcome: 'not-found' }
  if (verdict.kind === 'duplicate') return { outcome: 'already-forked', instanceId: verdict.instanceId }
  if (place === undefined) context.onDue()
  else if (!(await context.flow.arrive({ tenant, instanceId: newId, definitionId, queue: plan.queue }, place)))
    return { outcome: 'refused', instanceId: newId, at }
  return { outcome: 'forked', instanceId: newId, at }
}

function checkPosition(at: number | undefined): void {
  if (at === undefined || (Number.isInteger(at) && at >= 1 && at <= MOST_FACTS)) return
  throw new InvalidOption({ option: 'at', rule: `number of a fact, 1 to ${MOST_FACTS}`, value: at })
}

/** The version that an instance had after one of its facts: the one that it was next migrated from, or the one it has. */
export function versionAt(facts: readonly RecordedFact[], at: number, current: number): number {
  for (const row of facts.slice(at)) {
    const fact = factFromRow(row)
    if (fact.kind === 'migrated') return fact.from
  }
  return current
}

/** What the copy waits for outside; or, when nothing is left to do there, how it stood. */
async function copyAt(
  { programs, newId }: VerbContext,
  { tenant, definitionId, version }: { tenant: string; definitionId: string; version: number },
  facts: readonly RecordedFact[],
  forked: ForkedFact,
): Promise<{ readonly opens: readonly NewBookmark[] } | { readonly status: string }> {
  const program = await programs.get(tenant, definitionId, version).catch((error: unknown) => {
    if (WorkflowNotRegistered.is(error)) return undefined
    throw error
  })
  if (program?.kind === 'graph') {
    const state = foldJournal(program.graph, undefined, facts)
    if (!canGoOn(state))
      return { status: state.end?.status ?? (state.undoing === undefined ? state.status : 'compensating') }
    applyFact(program.graph, state, forked)
    return { opens: openWaits(state).flatMap(({ step, wait }) => opensFor(step, wait, newId)) }
  }
  const memo = new FunctionMemo()
  for (const row of facts) memo.fold(factFromRow(row), row.at)
  if (memo.stands === 'completed' || memo.stands === 'cancelled' || memo.stands === 'terminated')
    return { status: memo.stands }
  memo.fold(forked, undefined)
  return { opens: [...memo.waits].flatMap(([step, { wait }]) => opensFor(step, wait, newId)) }
}

function opensFor(step: string, wait: { readonly kind: string }, newId: () => string): NewBookmark[] {
  return wait.kind === 'event' || wait.kind === 'signal' ? bookmarksFor(step, wait as Wait, newId) : []
}
