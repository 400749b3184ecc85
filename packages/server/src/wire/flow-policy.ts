import type { FlowLoad, FlowPolicyRow } from '@lockstep/engine'
import Type from 'typebox'
import { toEtag } from './etag.ts'
import { iso } from './iso.ts'
import { anything, instant } from './schema.ts'

/** Only what makes it one: the engine checks the rest, and says more about it than a schema can. */
export const FlowPolicyBody = Type.Unsafe<unknown>({
  type: 'object',
  description:
    'singleton, concurrency, rate, throttle, debounce, batch, priority, ageing, as the member "flow" of a graph document has them. {}: nothing is held back.',
})

const policy = {
  definitionId: Type.String(),
  policy: anything('The one in force; null: nothing is held back.'),
  declared: anything('What the published document or the code says; null: nothing. "declared" stands for a function.'),
  chosen: anything('What was set at run time instead; null: nothing was.'),
  updatedAt: instant(),
  etag: Type.String({ description: 'Send it as If-Match with the next change.' }),
}

export const FlowPolicyItem = Type.Object(policy)

export const FlowPolicyReply = Type.Object({
  ...policy,
  waiting: Type.Integer({ description: 'Starts that wait for their turn. Counts stop at 10,000.' }),
  alive: Type.Integer({ description: 'Instances that were let in and have not ended.' }),
  gathering: Type.Integer({ description: 'Starts that still gather inputs.' }),
})

export const toWireFlowPolicy = (row: FlowPolicyRow) => ({
  definitionId: row.definitionId,
  policy: row.policy ?? null,
  declared: row.declared ?? null,
  chosen: row.chosen ?? null,
  updatedAt: iso(row.updatedAt),
  etag: toEtag(row.revision),
})

export const toWireFlowLoad = (load: FlowLoad) => ({
  ...toWireFlowPolicy(load),
  waiting: load.waiting,
  alive: load.alive,
  gathering: load.gathering,
})
