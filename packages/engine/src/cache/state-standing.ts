import { errorMessage, type Logger } from '@lockstep/base'
import type { Standing } from '../instance/standing.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import type { InstanceView } from '../store/instance-reader.ts'

export interface StateStandingOptions {
  readonly definitions: Pick<DefinitionStore, 'draft'>
  /** Reads and folds a journal. */
  readonly read: (instanceId: string) => Promise<Standing | undefined>
  readonly logger: Logger
}

const NOTHING: Standing = { variables: undefined, waits: [] }

/**
 * Variables and waits. Functions, which have no variables, are asked only while they rest: what kind of definition an id names never
 * changes, and one look at it serves for good. An instance whose journal does not fold must still be seen, most of all then.
 */
export function stateStanding({ definitions, read, logger }: StateStandingOptions) {
  const kinds = new Map<string, 'graph' | 'function' | undefined>()
  const kindOf = async ({ tenant, definitionId }: InstanceView) => {
    const key = `${tenant}\n${definitionId}`
    if (!kinds.has(key)) kinds.set(key, (await definitions.draft(tenant, definitionId))?.kind)
    return kinds.get(key)
  }
  return async (view: InstanceView): Promise<Standing> => {
    try {
      const tells = view.status === 'suspended' || (await kindOf(view)) === 'graph'
      return (tells ? await read(view.id) : undefined) ?? NOTHING
    } catch (error) {
      logger.warn('variables and waits of an instance cannot be told', {
        instanceId: view.id,
        reason: errorMessage(error),
      })
      return NOTHING
    }
  }
}
