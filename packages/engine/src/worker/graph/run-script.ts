import type { Json, JsonObject } from '@lockstep/base'
import { scriptProgram, scriptResult } from '../../activity/run/script-program.ts'
import { ExpressionFailed, ExpressionLimit, shownSource } from '../../expression/errors.ts'
import { expressionScope } from '../../graph/expression-scope.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { settleStep } from './settle-step.ts'

/** Runs statements in the sandbox. They can change nothing outside, so they may run again after a crash, and nothing waits to be durable. */
export function runScript(graph: LiveGraph, run: Run, { code }: JsonObject): void {
  graph.activeCount += 1
  void evaluate(graph, run, String(code)).then(
    (answer) => conclude(graph, run, () => settleStep(graph, run, scriptResult(answer, isVariable(graph)))),
    (error) => conclude(graph, run, () => graph.fail(run, error)),
  )
}

async function evaluate({ program, state, shell }: LiveGraph, { step }: Run, code: string): Promise<Json> {
  try {
    // The scope is written down before anything can change it: `evaluate` does so before it waits.
    return await shell.sandbox.evaluate(scriptProgram(code), expressionScope(program, state, step), { kind: 'script' })
  } catch (error) {
    if (ExpressionLimit.is(error)) throw new ExpressionLimit({ ...error.details, expression: shownSource(code) })
    if (!ExpressionFailed.is(error)) throw error
    const { name, message } = error.details
    throw new WorkflowFault({ message: `${name}: ${message}`, faultCode: 'SCRIPT_FAILED' })
  }
}

function conclude(graph: LiveGraph, run: Run, settle: () => void): void {
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (graph.isAlive(run.step)) {
      try {
        settle()
      } catch (error) {
        graph.fail(run, error)
      }
    }
    graph.goOn()
  })
}

const isVariable =
  ({ program }: LiveGraph) =>
  (name: string): boolean =>
    program.variables.has(name)
