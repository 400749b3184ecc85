/**
 * Children of steps that an operator took back are told to cancel, with what they did undone. The memo of the journal names them, and the
 * instance neither rests nor ends before they are told: should this process die in between, the next owner finds them in the same place.
 */
import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import type { ExecutionHost } from '../worker/execution.ts'
import type { GraphOutside } from '../worker/graph/graph-outside.ts'
import { keepTrying } from '../worker/graph/keep-trying.ts'
import type { FunctionMemo } from './function-memo.ts'

/** A function's run, as far as its children are concerned. */
export interface PartingFunction {
  readonly memo: Pick<FunctionMemo, 'unwanted'>
  readonly host: ExecutionHost
  readonly shell: {
    readonly clock: Clock
    readonly logger: Logger
    readonly cancelInstance: GraphOutside['cancelInstance']
  }
  readonly isDisposed: boolean
  whileActive<T>(work: () => Promise<T>): Promise<T>
}

/** Called once, before the code runs. */
export function stopUnwanted(execution: PartingFunction): void {
  for (const instanceId of execution.memo.unwanted) void stop(execution, instanceId)
}

function stop(execution: PartingFunction, instanceId: string): Promise<void> {
  const { host, shell, memo } = execution
  return execution.whileActive(async () => {
    await host.durable()
    const isWanted = (): boolean => !execution.isDisposed
    const refused = await keepTrying(execution, 'stopping a child', isWanted, async () => {
      await shell.cancelInstance(host.identity.tenant, instanceId, { reason: 'Nobody waits for it any more' })
    })
    if (refused !== undefined) shell.logger.warn('a child was not told to stop', { reason: errorMessage(refused) })
    memo.unwanted.delete(instanceId)
  })
}
