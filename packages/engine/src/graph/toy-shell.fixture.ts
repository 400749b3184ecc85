import type { Json, JsonObject } from '@lockstep/base'
import type { ActivityType } from '../activity/activity-type.ts'
import { builtInCatalogue } from '../activity/built-in.ts'
import type { ExpressionScope } from '../expression/scope.ts'
import type { Fact, StepKey } from '../journal/fact.ts'
import { applyFact } from './apply-fact.ts'
import { compileGraph } from './compile-graph.ts'
import type { GraphDocument } from './document.ts'
import { expressionScope } from './expression-scope.ts'
import type { GraphExpression } from './graph-expression.ts'
import type { GraphProgram } from './graph-program.ts'
import { type GraphState, initialState } from './graph-state.ts'
import { fillTemplate } from './input-template.ts'
import { openContainer } from './open-container.ts'
import { type StepToRun, takeReady } from './ready.ts'
import { isFinished, verdict } from './verdict.ts'

/** An activity that does nothing, with whatever outcome and inputs a test likes. */
const taskActivity: ActivityType = {
  type: 'task',
  kind: 'action',
  title: 'Task',
  description: 'Does nothing.',
  inputs: {},
  outcomes: 'any',
}
const triggerActivity: ActivityType = { ...taskActivity, type: 'tick', kind: 'trigger', outcomes: ['done'] }

export const toyCatalogue = builtInCatalogue([taskActivity, triggerActivity])

export interface ToyExpression extends GraphExpression {
  evaluate(scope: ExpressionScope): Json
}

/** JavaScript as it is. Tests only: nothing is contained here. */
export function toyExpression(source: string): ToyExpression {
  const names = ['input', 'vars', 'steps', 'item', 'index', 'error', 'correlationId'] as const
  const run = new Function(...names, `return (${source})`)
  const references = source.match(/steps(\.\w+)?/g) ?? []
  return { source, references, evaluate: (scope) => run(...names.map((name) => scope[name])) ?? null }
}

export type ToyProgram = GraphProgram<ToyExpression>

/** Wraps activities that are given by id alone, and connections written as `a -> b` or `a -true-> b`. */
export function toyDocument(
  activities: readonly (string | GraphDocument['activities'][number])[],
  connections: readonly string[] = [],
  more: Partial<GraphDocument> = {},
): GraphDocument {
  return { id: 'toy', ...toyBody(activities, connections), ...more }
}

export function toyBody(
  activities: readonly (string | GraphDocument['activities'][number])[],
  connections: readonly string[] = [],
): Pick<GraphDocument, 'activities' | 'connections'> {
  return {
    activities: activities.map((activity) =>
      typeof activity === 'string' ? { id: activity, type: 'task' } : activity,
    ),
    connections: connections.map((text) => {
      const [, from, outcome, to] = /^([\w-]+?) -(?:([\w-]+)-)?> ([\w-]+)$/.exec(text)!
      return { from: from!, to: to!, ...(outcome !== undefined && { outcome }) }
    }),
  }
}

export function toyProgram(document: GraphDocument): ToyProgram {
  return compileGraph(document, toyCatalogue, toyExpression)
}

export function toyInputs(
  program: ToyProgram,
  state: GraphState,
  { step, activity }: StepToRun<ToyExpression>,
): JsonObject {
  if (activity.inputs.literal !== undefined) return activity.inputs.literal
  const scope = expressionScope(program, state, step)
  return fillTemplate(
    activity.inputs,
    activity.inputs.expressions.map((expression) => expression.evaluate(scope)),
  )
}

/** What the built-in activities do, as far as graphs care. Everything else completes with its inputs as output. */
export function toyFact(run: StepToRun<ToyExpression>, inputs: JsonObject): Fact {
  const { step, activity } = run
  if (activity.container !== undefined) {
    const opened = openContainer(run, inputs)
    return 'kind' in opened ? opened : { kind: 'failed', step, error: opened, attempt: run.attempt }
  }
  switch (activity.type.type) {
    case 'if':
      return { kind: 'completed', step, outcome: inputs.condition ? 'true' : 'false' }
    case 'fault':
      return { kind: 'failed', step, attempt: run.attempt, error: { code: 'FAULT', message: String(inputs.message) } }
    case 'set-variable':
      return { kind: 'completed', step, outcome: 'done', assign: { [String(inputs.name)]: inputs.value ?? null } }
    case 'set-output':
      return { kind: 'completed', step, outcome: 'done', result: { [String(inputs.name)]: inputs.value ?? null } }
    case 'delay':
      return { kind: 'waiting', step, wait: { kind: 'timer', ms: Number(inputs.duration) } }
    case 'wait-for-event':
      return { kind: 'waiting', step, wait: { kind: 'event', name: String(inputs.event) } }
    default:
      return { kind: 'completed', step, outcome: String(inputs.outcome ?? 'done'), output: inputs }
  }
}

export interface ToyRun {
  readonly state: GraphState
  readonly facts: Fact[]
  /** Keys in the order in which they were handed out. */
  readonly ran: StepKey[]
}

/** Runs a document whose steps never wait until it is finished, in the order of activation. */
export function runToy(document: GraphDocument, input: Json = null): ToyRun {
  const program = toyProgram(document)
  const run: ToyRun = { state: initialState(program), facts: [], ran: [] }
  const apply = (fact: Fact): void => {
    run.facts.push(fact)
    applyFact(program, run.state, fact, run.facts.length)
  }
  apply({ kind: 'started', input })
  const queue: StepToRun<ToyExpression>[] = [...takeReady(program, run.state)]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (!Object.hasOwn(run.state.executions, next.step)) continue
    run.ran.push(next.step)
    apply(toyFact(next, toyInputs(program, run.state, next)))
    if (isFinished(run.state)) break
    queue.push(...takeReady(program, run.state))
  }
  return run
}

export const toyVerdict = (run: ToyRun): unknown => verdict(run.state)
