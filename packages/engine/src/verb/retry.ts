import { isUuid, type Json } from '@lockstep/base'
import { WorkflowNotRegistered } from '../definition/errors.ts'
import { FunctionMemo } from '../function/function-memo.ts'
import type { ActivityMapping } from '../graph/migrate/rename-steps.ts'
import { factFromRow } from '../journal/fact.ts'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import type { InstanceView } from '../store/instance-reader.ts'
import { checkVariables } from './check-variables.ts'
import { planMigration } from './migrate.ts'
import { readFacts } from './read-history.ts'
import { findRewind, stepsToRewind } from './rewind.ts'
import type { VerbContext, VerbOptions } from './verb-context.ts'
import { outcomeOf, type RetryOutcome } from './verb-outcome.ts'
import { wasUndone } from './was-undone.ts'

export interface RetryOptions extends VerbOptions {
  /** Goes on from this step, though it may have completed: what was recorded since it began is done again. @default what failed */
  readonly step?: string
  /** New values for variables, set before anything runs. Graphs only. */
  readonly variables?: Readonly<Record<string, unknown>>
  /** Goes on as this version: the one in which the cause is mended. */
  readonly version?: number
  /** With `version`: activities that have another id there. */
  readonly mapping?: ActivityMapping
  /** Also when its parent has taken note of its end. @default false */
  readonly force?: boolean
  /** Goes to the incidents that this resolves. */
  readonly note?: string
}

const MOST_STEPS = 50

/** Sends what has faulted, was put aside or waits at an incident back to work. */
export async function retryInstance(
  context: VerbContext,
  instanceId: string,
  options: RetryOptions = {},
): Promise<RetryOutcome> {
  const { tenant = DEFAULT_TENANT, step, version, mapping, note, force = false, operationId } = options
  checkText(note, 'note')
  const view = isUuid(instanceId) ? await context.store.instances.get(tenant, instanceId) : undefined
  if (view === undefined) return { outcome: 'not-found' }
  const isHeldUp = view.status === 'faulted' || view.status === 'quarantined'
  if (!isHeldUp) return retryUnclear(context, view, note)
  if (step !== undefined) {
    const known = await stepsOf(context, view, step)
    if (known !== undefined) return { outcome: 'unknown-step', step, steps: known.slice(0, MOST_STEPS) }
  }
  if (view.status === 'faulted' && (await wasUndone(context, view, step !== undefined))) return { outcome: 'undone' }
  const payload: Record<string, Json> = {}
  if (step !== undefined) payload.step = step
  if (options.variables !== undefined) {
    const of = { tenant, definitionId: view.definitionId, version: version ?? view.version }
    payload.variables = await checkVariables(context, of, options.variables)
  }
  const messages = [{ kind: 'retry', payload: JSON.stringify(payload) }]
  let queue: string | undefined
  if (version !== undefined && version !== view.version) {
    const plan = await planMigration(context, tenant, instanceId, version, mapping)
    if ('outcome' in plan) return plan
    messages.unshift({ kind: 'migrate', payload: JSON.stringify(plan) })
    queue = plan.queue
  }
  const verdict = await context.store.verbs.retry({ tenant, instanceId, messages, queue, force, note, operationId })
  if (verdict.kind === 'accepted') {
    context.onSent(instanceId)
    if (view.status === 'faulted') context.onReopened()
  }
  return outcomeOf(verdict)
}

/** A step that nobody knows the outcome of keeps a living instance waiting: trying it again is what a retry means there. */
async function retryUnclear(
  { store, onSent }: VerbContext,
  { tenant, id, status, incidents }: InstanceView,
  note: string | undefined,
): Promise<RetryOutcome> {
  const unclear = incidents.filter((incident) => incident.code === 'OUTCOME_UNKNOWN')
  if (unclear.length === 0) return { outcome: 'wrong-state', status }
  const message = { kind: 'resolve', payload: JSON.stringify({ outcome: 'retry' }) }
  for (const { id: incidentId } of unclear)
    await store.incidents.resolve({ tenant, incidentId, resolution: 'retried', note, message })
  onSent(id)
  return { outcome: 'accepted' }
}

/** `undefined`: the step is there. Else those that are. */
async function stepsOf(
  { programs, store }: VerbContext,
  { tenant, id, definitionId, version }: InstanceView,
  step: string,
): Promise<readonly string[] | undefined> {
  const facts = await readFacts(store.instances, tenant, id)
  const program = await programs.get(tenant, definitionId, version).catch((error: unknown) => {
    if (WorkflowNotRegistered.is(error)) return undefined // another node has its code
    throw error
  })
  if (program?.kind === 'graph')
    return findRewind(program.graph, facts, step) === undefined ? stepsToRewind(program.graph, facts) : undefined
  const memo = new FunctionMemo()
  for (const row of facts) memo.fold(factFromRow(row), row.at)
  const steps = memo.steps()
  return steps.includes(step) ? undefined : steps
}
