import { errorMessage, isJsonObject, type Json } from '@lockstep/base'
import { applyFact } from '../graph/apply-fact.ts'
import { childIdOf } from '../graph/children-progress.ts'
import type { GraphState, OpenWait } from '../graph/graph-state.ts'
import { ownMember } from '../graph/own-member.ts'
import { openWaitOf, openWaits } from '../graph/waits.ts'
import type { Fact, StepKey, Wait } from '../journal/fact.ts'
import { placeOf, unclearOutcome } from '../step/incident.ts'
import type { InboxMessage } from '../store/agenda-store.ts'
import type { NewBookmark, NewIncident } from '../store/commit-store.ts'
import { bookmarksFor } from '../worker/bookmarks-for.ts'
import type { ExecutionOrder, ReopenOrder, ResolveOrder, RetryOrder, Stands } from '../worker/control-messages.ts'
import type { LiveGraph } from '../worker/graph/live-graph.ts'
import { reopenOutside } from '../worker/graph/open-outside.ts'
import { endOfChild } from './tell-child-ends.ts'

/** What keeps a graph from going on. */
export function standsOf({ status, end, paused }: GraphState): Stands | undefined {
  if (status === 'ended') return end?.status
  if (status === 'quarantined') return 'quarantined'
  return paused === undefined ? undefined : 'paused'
}

/** Does what an operator asks of a graph, or records why it cannot. */
export function operateGraph(
  graph: LiveGraph,
  order: ExecutionOrder,
  childEnded: (step: StepKey, payload: Json) => void,
): void {
  const refuse = (reason: string): void => graph.fold({ kind: 'refused', verb: order.kind, reason })
  const fold = (fact: Fact): void => {
    try {
      graph.fold(fact)
    } catch (error) {
      refuse(errorMessage(error))
    }
  }
  switch (order.kind) {
    case 'pause':
      return fold({ kind: 'paused', ...(order.reason === undefined ? {} : { reason: order.reason }) })
    case 'continue':
      return fold({ kind: 'continued' })
    case 'assign':
      return fold({ kind: 'assigned', variables: order.variables })
    case 'resolve':
      return resolve(graph, order, refuse)
    case 'reopen':
      reopen(graph, order)
      return askChildren(graph, childEnded)
    case 'retry':
      retry(graph, order, refuse)
      if (order.variables !== undefined) fold({ kind: 'assigned', variables: order.variables })
      return askChildren(graph, childEnded)
  }
}

/** Waits of branches that go on where they stood have no bookmark any more once the instance has ended. */
function retry(graph: LiveGraph, { step, rewind }: RetryOrder, refuse: (reason: string) => void): void {
  const { program, state, host } = graph
  const hadEnded = state.status === 'ended'
  const closes = hadEnded ? [] : Object.keys(state.waits)
  const fact: Fact =
    rewind === undefined
      ? { kind: 'retried' }
      : { kind: 'rewound', step: step ?? '', toSeq: rewind.toSeq, state: askedAnew(graph, rewind.state) }
  try {
    applyFact(program, state, fact)
  } catch (error) {
    return refuse(errorMessage(error))
  }
  const isNew = hadEnded || rewind !== undefined
  host.record({ facts: [fact], ...(rewind === undefined ? {} : { closes }) })
  // Apart from the others: they close what was open, this is open from now on.
  if (!isNew) return
  const waits = openWaits(state)
  host.record({
    opens: waits.flatMap((each) => reopened(graph, each)),
    incidents: waits.flatMap((each) => asksAgain(graph, each)),
  })
}

/** Work that was done since the moment to go back to is asked for anew, as a task of its own: the one that was done stays done. */
function askedAnew({ host, state }: LiveGraph, back: Json): Json {
  const { waits, ...rest } = back as unknown as GraphState
  const anew = Object.entries(waits).map(([step, opened]) => {
    const { wait } = opened
    if (wait.kind !== 'task' && wait.kind !== 'human') return [step, opened]
    const now = ownMember(state.waits, step)?.wait
    const isOpen = now !== undefined && 'id' in now && now.id === wait.id
    return [step, isOpen ? opened : { ...opened, wait: { ...wait, id: host.newId() } }]
  })
  return { ...rest, waits: Object.fromEntries(anew) } as unknown as Json
}

/** Puts back what should stand outside for waits and does not. */
function reopen(graph: LiveGraph, { present = [], known = [] }: ReopenOrder): void {
  const ids = new Map(known)
  const lost = openWaits(graph.state).filter(({ step }) => graph.isAlive(step) && !present.includes(step))
  graph.host.record({ opens: lost.flatMap((each) => reopened(graph, each, ids.get(each.step))) })
  // A task needs its bookmark first. What stands still makes nothing outside.
  if (standsOf(graph.state) === undefined) reopenOutside(graph)
}

/** What nobody knows the outcome of is still to be decided: the retry has closed the incident that asked. */
function asksAgain({ host, program, state }: LiveGraph, { step, wait }: OpenWait): NewIncident[] {
  if (wait.kind !== 'signal' || wait.name !== step) return []
  return [unclearOutcome(host.newId(), program.id, state.executions[step]?.activity ?? placeOf(step), step)]
}

function reopened({ host }: LiveGraph, { step, wait }: OpenWait, id = host.newId()): NewBookmark[] {
  return wait.kind === 'retry' || wait.kind === 'timeout' ? [] : bookmarksFor(step, wait as Wait, () => id)
}

/** Some may have ended while nobody was there to be told, or in what was taken back. */
function askChildren(graph: LiveGraph, childEnded: (step: StepKey, payload: Json) => void): void {
  for (const { step, instanceId } of [...childWaits(graph.state)]) void askChild(graph, step, instanceId, childEnded)
  for (const { step, wait, children } of openWaits(graph.state))
    if (wait.kind === 'children')
      for (const index of children?.live ?? [])
        void askChild(graph, `${step}@${index}`, childIdOf(wait.firstId, index), childEnded)
}

async function askChild(
  graph: LiveGraph,
  step: StepKey,
  instanceId: string,
  childEnded: (step: StepKey, payload: Json) => void,
): Promise<void> {
  graph.activeCount += 1
  const end = await endOfChild(graph.host, graph.shell.clock, instanceId, () => !graph.isDisposed)
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (end !== undefined) childEnded(step, end)
    graph.goOn()
  })
}

function resolve(graph: LiveGraph, order: ResolveOrder, refuse: (reason: string) => void): void {
  const { step, outcome, output, message = 'An operator said that it failed' } = order
  const isOpen = graph.isAlive(step) && graph.state.waits[step]?.wait.kind === 'signal'
  const execution = graph.state.executions[step]
  if (!isOpen || execution === undefined) return refuse(`"${step}" does not wait for anybody`)
  const { attempt } = execution
  const closes = [step]
  if (outcome === 'completed')
    return graph.fold({ kind: 'completed', step, outcome: 'done', output: output ?? null, by: 'operator' }, { closes })
  if (outcome === 'failed')
    return graph.fold({ kind: 'failed', step, attempt, error: { code: 'OUTCOME_FAILED', message, step } }, { closes })
  const error = { code: 'OUTCOME_UNKNOWN', message: 'An operator had it tried again', step }
  graph.fold({ kind: 'retrying', step, attempt, error, delayMs: 0 }, { closes })
}

/**
 * The step that a message is for. A child is known by its id: its parent may have got another version since, or have started another one in
 * its place.
 */
export function stepOf(state: GraphState, { kind, step = '', payload }: InboxMessage): StepKey {
  if (kind !== 'child' || !isJsonObject(payload) || typeof payload.child !== 'string') return step
  const wait = openWaitOf(state, step)?.wait
  if (wait?.kind === 'child' && wait.instanceId === payload.child) return step
  for (const each of childWaits(state)) if (each.instanceId === payload.child) return each.step
  return wait?.kind === 'child' ? '' : step
}

function* childWaits(state: GraphState): Generator<{ step: StepKey; instanceId: string }> {
  for (const { step, wait } of openWaits(state)) if (wait.kind === 'child') yield { step, instanceId: wait.instanceId }
}
