import type { Json } from '@lockstep/base'
import { checkDepth } from '../limit/check-depth.ts'
import { checkFanOut } from '../limit/check-fan-out.ts'
import { entryValue } from './entry-value.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { CompensationPlan } from './saga-port.ts'
import type { ChildOptions } from './workflow-context.ts'

/** Runs another workflow and waits for its result. Its id is in the wait, so that it can be started again after a crash. */
export async function runChild(
  execution: FunctionExecution,
  definitionId: string,
  input: Json,
  options: ChildOptions,
  compensation?: CompensationPlan,
): Promise<Json> {
  const { memo, shell, saga } = execution
  const step = execution.keyOf(`@run:${definitionId}`)
  execution.saga.register(step, compensation)
  const known = execution.recall(step)
  if (known !== undefined) return saga.answer(step, known)
  if (!saga.mayBegin(step)) return new Promise(() => {})
  const { depth, fanOut } = shell.limits
  const tooDeep = checkDepth(step, memo.depth, depth)
  if (tooDeep !== undefined) return execution.stop(tooDeep)
  const ended = execution.ended(step)
  await execution.whileActive(async () => {
    if (!memo.waits.has(step)) {
      await execution.beyondRecord(step)
      if (!saga.mayBegin(step)) return
      const tooWide = checkFanOut(step, memo.waits.size + 1, fanOut)
      if (tooWide !== undefined) return execution.stop(tooWide)
      const undo = compensation === undefined ? {} : ({ undo: true } as const)
      execution.record({ kind: 'waiting', step, wait: { kind: 'child', instanceId: execution.host.newId() }, ...undo })
    }
    const wait = memo.waits.get(step)?.wait
    if (wait?.kind !== 'child') return
    const { host } = execution
    await host.durable()
    if (!saga.mayBegin(step)) return
    // Repeated after a move: the process that wrote the wait may have died before it started the child.
    const start = host.startChild({
      instanceId: wait.instanceId,
      definitionId,
      version: undefined,
      input,
      correlationId: options.correlationId ?? host.identity.correlationId,
      step,
      awaited: true,
      depth: memo.depth + 1,
    })
    await saga.starting(step, start)
  })
  return entryValue(await ended)
}
