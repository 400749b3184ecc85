/**
 * Many children at once. The fact that the step waits holds the items and the id of the first child; which children run follows from which
 * have ended, so nothing else is written when one begins. Starting one again is harmless: its id is its dedupe key. Results are
 * facts of the parent's journal and are gathered from there at the end: the state stays small however many there are.
 */
import { errorMessage, isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { childIdOf, childIndexOf } from '../../graph/children-progress.ts'
import { isConnected } from '../../graph/graph-program.ts'
import type { OpenWait } from '../../graph/graph-state.ts'
import { isLate } from '../../graph/saga/late-step.ts'
import { openWaits } from '../../graph/waits.ts'
import type { ChildEndedFact, ChildrenWait, EndStatus, Failure, StepKey } from '../../journal/fact.ts'
import { checkDepth } from '../../limit/check-depth.ts'
import { endOfChild } from '../../verb/tell-child-ends.ts'
import { childrenOutput } from './children-output.ts'
import type { CancelOptions } from './graph-outside.ts'
import { keepTrying } from './keep-trying.ts'
import type { LiveGraph, Run } from './live-graph.ts'

const DEFAULT_CONCURRENCY = 100

export function runChildren(graph: LiveGraph, run: Run, inputs: JsonObject): void {
  const { state, shell, host } = graph
  const { step } = run
  const tooDeep = checkDepth(step, state.depth ?? 0, shell.limits.depth)
  if (tooDeep !== undefined) return graph.breach(run, tooDeep)
  const wait = childrenWait(host.newId(), inputs, state.correlationId, run.activity.timeoutMs)
  const undo = run.activity.parts.compensate === undefined ? {} : ({ undo: true } as const)
  graph.fold({ kind: 'waiting', step, wait, ...undo })
  graph.bulkRuns.add(step)
}

/** After a replay: whatever should run is started again. */
export function resumeChildren(graph: LiveGraph): void {
  for (const { step, wait } of openWaits(graph.state)) if (wait.kind === 'children') graph.bulkRuns.add(step)
}

/** Starts what may begin, ends what must end, and concludes what is over. Called with every turn; does nothing twice. */
export function tendChildren(graph: LiveGraph): void {
  for (const step of graph.bulkRuns) {
    const opened = graph.isAlive(step) ? graph.state.waits[step] : undefined
    if (opened?.children === undefined) forget(graph, step)
    else if (graph.state.paused === undefined) tend(graph, step, opened)
  }
}

/** `true`: the message was for a child of a bulk run. It is known by its id: an operator may have renamed the step, or run it again with others. */
export function bulkChildEnded(graph: LiveGraph, place: string, payload: unknown): boolean {
  const at = place.lastIndexOf('@')
  if (at === -1) return false
  const child = isJsonObject(payload as Json) ? (payload as JsonObject).child : undefined
  const [step, index] =
    typeof child === 'string' ? placeOf(graph, child) : [place.slice(0, at), Number(place.slice(at + 1))]
  if (isRunning(graph, step, index)) graph.fold(endedFact(step, index, payload))
  return true
}

function placeOf({ bulkRuns, state }: LiveGraph, child: string): readonly [step: StepKey, index: number] {
  for (const step of bulkRuns) {
    const wait = state.waits[step]?.wait
    const index = wait?.kind === 'children' ? childIndexOf(wait.firstId, child) : undefined
    if (index !== undefined) return [step, index]
  }
  return ['', 0]
}

function tend(graph: LiveGraph, step: StepKey, opened: OpenWait): void {
  const wait = opened.wait as ChildrenWait
  const { live, stopped } = opened.children!
  if (live.length === 0) return begin(graph, `${step}@end`, () => conclude(graph, step, opened))
  for (const index of live) {
    const place = `${step}@${index}`
    if (stopped === undefined) begin(graph, place, () => startOne(graph, step, wait, index))
    else begin(graph, `${place}!`, () => stopOne(graph, step, wait, index))
  }
}

/** Once in this process; a replay elsewhere does it again. */
function begin(graph: LiveGraph, name: string, work: () => Promise<void>): void {
  if (graph.begun.has(name)) return
  graph.activeCount += 1
  const over = work()
  graph.begun.set(name, over)
  void over.then(() =>
    graph.freeze.afterwards(() => {
      graph.activeCount -= 1
      graph.goOn()
    }),
  )
}

async function startOne(graph: LiveGraph, step: StepKey, wait: ChildrenWait, index: number): Promise<void> {
  const { host, state } = graph
  const { definitionId, version, correlationId, items, firstId } = wait
  await host.durable()
  const start = () =>
    host.startChild({
      ...{ definitionId, version, correlationId, awaited: true, depth: (state.depth ?? 0) + 1 },
      instanceId: childIdOf(firstId, index),
      input: items[index] ?? null,
      step: `${step}@${index}`,
    })
  const isWanted = (): boolean => isRunning(graph, step, index)
  const refused = await keepTrying(graph, 'starting a child', isWanted, start)
  if (refused !== undefined) endWithout(graph, step, index, 'faulted', graph.failureOf(refused, step))
  // One that ran before the step was taken back may have ended then.
  else if ((graph.state.rewinds ?? 0) > 0) await hearEnd(graph, step, wait, index)
}

async function hearEnd(graph: LiveGraph, step: StepKey, wait: ChildrenWait, index: number): Promise<void> {
  const isWanted = (): boolean => isRunning(graph, step, index)
  const end = await endOfChild(graph.host, graph.shell.clock, childIdOf(wait.firstId, index), isWanted)
  if (end !== undefined) graph.freeze.afterwards(() => isWanted() && graph.fold(endedFact(step, index, end)))
}

/** Told to end, it ends as it likes, and that is heard. One that was never started has no end to be heard of. */
async function stopOne(graph: LiveGraph, step: StepKey, wait: ChildrenWait, index: number): Promise<void> {
  const { host, shell } = graph
  await graph.begun.get(`${step}@${index}`)
  await host.durable()
  const isWanted = (): boolean => isRunning(graph, step, index)
  const refused = await keepTrying(graph, 'stopping a child', isWanted, async () => {
    const id = childIdOf(wait.firstId, index)
    const exists = await shell.outside.cancelInstance(host.identity.tenant, id, cancellation(graph, step))
    if (!exists) endWithout(graph, step, index, 'cancelled', undefined)
  })
  if (refused !== undefined) shell.logger.warn('a child was not told to stop', { reason: errorMessage(refused) })
}

function cancellation({ state }: LiveGraph, step: StepKey): CancelOptions {
  const { undoing } = state
  if (undoing === undefined)
    return { reason: isLate(state, step) ? 'Nobody waits for it any more' : 'another child has failed' }
  return { compensate: undoing.skips !== true, reason: undoing.error.message }
}

/** A child that cannot be started has ended too; the others are not to blame. */
function endWithout(
  graph: LiveGraph,
  step: StepKey,
  index: number,
  status: EndStatus,
  error: Failure | undefined,
): void {
  graph.freeze.afterwards(() => {
    if (!isRunning(graph, step, index)) return
    graph.fold({ kind: 'child-ended', step, index, status, started: false, ...(error === undefined ? {} : { error }) })
  })
}

async function conclude(graph: LiveGraph, step: StepKey, opened: OpenWait): Promise<void> {
  let output: JsonObject | undefined
  let failure: Failure | undefined
  try {
    output = await childrenOutput(graph, step, opened)
  } catch (error) {
    failure = graph.failureOf(error, step)
  }
  graph.freeze.afterwards(() => {
    // Something beside it may have failed meanwhile: what was alive then keeps its wait.
    if (!graph.isAlive(step) || graph.state.waits[step] !== opened) return
    const { attempt, activity } = graph.state.executions[step]!
    const { completed, faulted } = opened.children!
    // One that was told to stop may have been through with all of them.
    const failed = completed < (opened.wait as ChildrenWait).items.length
    if (output === undefined) return graph.fold({ kind: 'failed', step, attempt, error: failure! })
    if (!failed || isConnected(graph.program.byId.get(activity)!, 'some-failed'))
      return graph.fold({ kind: 'completed', step, outcome: failed ? 'some-failed' : 'done', output, by: 'child' })
    const { results: _, ...data } = output
    const message = `${faulted} of ${data.total} children faulted, ${data.cancelled} were cancelled`
    graph.fold({ kind: 'failed', step, attempt, error: { code: 'CHILDREN_FAILED', message, step, data } })
  })
}

function endedFact(step: StepKey, index: number, payload: unknown): ChildEndedFact {
  const { status, output, error } = isJsonObject(payload as Json)
    ? (payload as JsonObject)
    : { status: 'faulted', output: null, error: null }
  const end = status === 'completed' || status === 'faulted' || status === 'terminated' ? status : 'cancelled'
  if (end === 'completed') return { kind: 'child-ended', step, index, status: end, output: output ?? null }
  const failure = isJsonObject(error) ? (error as unknown as Failure) : undefined
  return { kind: 'child-ended', step, index, status: end, ...(failure === undefined ? {} : { error: failure }) }
}

function isRunning(graph: LiveGraph, step: StepKey, index: number): boolean {
  if (graph.isDisposed || !graph.isAlive(step)) return false
  return graph.state.waits[step]?.children?.live.includes(index) === true
}

function forget(graph: LiveGraph, step: StepKey): void {
  graph.bulkRuns.delete(step)
  for (const name of graph.begun.keys()) if (name.startsWith(`${step}@`)) graph.begun.delete(name)
}

function childrenWait(
  firstId: string,
  inputs: JsonObject,
  inherited: string | undefined,
  timeoutMs: number | undefined,
): ChildrenWait {
  const { definitionId, items, concurrency, onChildFailure, collect, version } = inputs
  const correlationId = typeof inputs.correlationId === 'string' ? inputs.correlationId : inherited
  return {
    kind: 'children',
    firstId,
    definitionId: String(definitionId),
    items: items as readonly Json[],
    concurrency: typeof concurrency === 'number' ? concurrency : DEFAULT_CONCURRENCY,
    collect: collect === 'failed' || collect === 'none' ? collect : 'all',
    ...(onChildFailure === 'fail-fast' ? { failFast: true } : {}),
    ...(typeof version === 'number' ? { version } : {}),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}
