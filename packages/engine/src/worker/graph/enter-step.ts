import { abortable, type JsonObject, LazyAbort } from '@lockstep/base'
import { evaluateExpression } from '../../expression/expression.ts'
import { expressionScope } from '../../graph/expression-scope.ts'
import { fillTemplate } from '../../graph/input-template.ts'
import type { Passed } from '../../limit/passed-gate.ts'
import { checkKey, type GateNames } from '../../step/step-policies.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import { putOffUntil } from '../put-off-until.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** Paused meanwhile: it asks again when it goes on. */
const STILL_MS = 1_000

/** Asks for all that the step's policies demand. A number: not now, but in so many milliseconds; its places in line are kept. */
export async function enterStep(
  graph: LiveGraph,
  run: Run,
  names: GateNames,
  { signal }: LazyAbort,
): Promise<Passed | number> {
  const { host, shell } = graph
  // Nothing is held while a commit is waited for.
  await abortable(host.durable(), signal)
  const entry = await shell.gate.enter(subjectOf(graph, run), run.activity.policies!, names, signal)
  if (entry.kind === 'later') return entry.inMs
  try {
    await abortable(new Promise<void>((resolve) => graph.freeze.afterwards(resolve)), signal)
    if (!graph.isAlive(run.step)) throw noLongerWanted(run)
    if (!host.isStill) return entry
    entry.leave('untried')
    return STILL_MS
  } catch (error) {
    entry.leave('untried')
    throw error
  }
}

/** For code that begins within a turn of the graph: calls `begin` when all that its policies demand is held. */
export function enterThen(graph: LiveGraph, run: Run, begin: (passed: Passed) => void, again: () => void): void {
  const { step } = run
  const abort = new LazyAbort(graph.host.abort)
  graph.running.set(step, abort)
  graph.activeCount += 1
  const finish = (then: () => void): void => {
    abort.release()
    graph.running.delete(step)
    graph.activeCount -= 1
    if (graph.isAlive(step)) then()
    graph.goOn()
  }
  gateNames(graph, run)
    .then(async (names) => {
      const entry = await enterStep(graph, run, names, abort)
      if (typeof entry === 'object') return finish(() => begin(entry))
      graph.freeze.afterwards(() => finish(() => putOff(graph, run, names, entry, again)))
    })
    .catch((error: unknown) => graph.freeze.afterwards(() => finish(() => graph.fail(run, error))))
}

/** Lets the step rest until it is called, or until it should ask again. */
export function putOff(graph: LiveGraph, run: Run, names: GateNames, inMs: number, again: () => void): void {
  const { step } = run
  const subject = subjectOf(graph, run)
  graph.deferrals.add(step, putOffUntil(graph.host, inMs), again, () => {
    graph.shell.gate.withdraw(subject, names)
    // One that can be undone stays until it has ended; this one never began.
    if (graph.isAlive(step)) graph.fail(run, noLongerWanted(run))
  })
}

export async function gateNames({ program, state, shell }: LiveGraph, run: Run): Promise<GateNames> {
  const { names } = run.activity.policies!
  const scope =
    names.literal === undefined ? structuredClone({ ...expressionScope(program, state, run.step) }) : undefined
  const values = await Promise.all(
    names.expressions.map((expression) => evaluateExpression(expression, scope!, shell.sandbox)),
  )
  const filled: JsonObject = fillTemplate(names, values)
  for (const [policy, key] of Object.entries(filled)) checkKey(`${policy} of ${run.activity.id}`, key)
  return filled as GateNames
}

function subjectOf({ host }: LiveGraph, { step, activity }: Run) {
  const { tenant, instanceId, definitionId } = host.identity
  return { tenant, instanceId, definitionId, step, place: activity.id }
}

export const noLongerWanted = ({ step }: Run): Error =>
  new WorkflowFault({ message: `Step "${step}" is no longer wanted`, faultCode: 'CANCELLED' })
