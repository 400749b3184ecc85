import { DefinitionNotFound, InstanceNotFound } from '../definition/errors.ts'
import { EffectNotSupported, InvalidFact, UnknownActivityType } from '../graph/graph-errors.ts'
import { type StateAtContext, stateAt } from '../instance/state-at.ts'

/** Steps of an instance that wait for what has a bookmark, by the fold of its journal. `undefined`: this node cannot tell. */
export type WaitsOf = (tenant: string, instanceId: string) => Promise<readonly string[] | undefined>

const WITH_BOOKMARK: ReadonlySet<string> = new Set(['event', 'signal', 'task', 'human'])
/** It is gone, its activities are on other nodes, or its journal has a gap. */
const UNTOLD = [InstanceNotFound, DefinitionNotFound, UnknownActivityType, EffectNotSupported, InvalidFact]

export const waitsByJournal =
  (context: StateAtContext): WaitsOf =>
  async (tenant, instanceId) => {
    try {
      const { waits } = await stateAt(context, tenant, instanceId)
      return waits.filter(({ kind }) => WITH_BOOKMARK.has(kind)).map(({ step }) => step)
    } catch (error) {
      if (UNTOLD.some((kind) => kind.is(error))) return undefined
      throw error
    }
  }
