import { errorMessage, type Logger } from '@lockstep/base'
import type { DefinitionStore } from '../store/definition-store.ts'
import type { InstanceView } from '../store/instance-reader.ts'
import type { Variables } from './instance-states.ts'

export interface StateVariablesOptions {
  readonly definitions: Pick<DefinitionStore, 'draft'>
  /** Reads and folds a journal. */
  readonly read: (instanceId: string) => Promise<Variables | undefined>
  readonly logger: Logger
}

/**
 * Variables of graphs. Functions, which have none, are not asked: what kind of definition an id names never changes, and one look at
 * it serves for good. An instance whose journal does not fold must still be seen, most of all then.
 */
export function stateVariables({ definitions, read, logger }: StateVariablesOptions) {
  const kinds = new Map<string, 'graph' | 'function' | undefined>()
  const kindOf = async ({ tenant, definitionId }: InstanceView) => {
    const key = `${tenant}\n${definitionId}`
    if (!kinds.has(key)) kinds.set(key, (await definitions.draft(tenant, definitionId))?.kind)
    return kinds.get(key)
  }
  return async (view: InstanceView): Promise<Variables | undefined> => {
    try {
      return (await kindOf(view)) === 'graph' ? await read(view.id) : undefined
    } catch (error) {
      logger.warn('variables of an instance cannot be told', { instanceId: view.id, reason: errorMessage(error) })
      return undefined
    }
  }
}
