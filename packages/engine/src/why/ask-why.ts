import { InstanceNotFound } from '../definition/errors.ts'
import { flowBlocker } from '../flow/flow-blocker.ts'
import type { EngineStore } from '../store/engine-store.ts'
import { explain, type Here } from './explain.ts'
import { openWaits } from './open-waits.ts'
import type { BlockerSource, WaitsFor, Why } from './why.ts'
import { adviceFor, whyText } from './why-text.ts'

export interface WhyContext {
  readonly store: Pick<EngineStore, 'maintenance' | 'instances' | 'flow'>
  readonly here: Here
  readonly sources: readonly BlockerSource[]
  /** Asked about one that has faulted: what is left to do there. */
  readonly faulted: BlockerSource
}

/** Facts that are read for attempts and time-outs: the latest. */
const TAIL = 500
/** Children whose own reason is looked up. */
const CHILDREN = 3

/** One answer to why an instance does not move, or does. Reads little, changes nothing. */
export async function askWhy(
  context: WhyContext,
  tenant: string,
  instanceId: string,
  withChildren = true,
): Promise<Why> {
  const { maintenance, instances } = context.store
  const standing = await maintenance.standing(tenant, instanceId)
  if (standing === undefined) throw new InstanceNotFound({ instanceId })
  const facts = await instances.journal(tenant, instanceId, Math.max(0, standing.lastSeq - TAIL), TAIL)
  // Only what has not begun can be held back.
  const held = standing.status === 'queued' ? await context.store.flow.standing(tenant, instanceId) : undefined
  const plain = explain(standing, openWaits(facts), context.here, held !== undefined)
  const { definitionId, version, state } = plain
  const isFaulted = state === 'ended' && standing.status === 'faulted'
  const sources = isFaulted ? [context.faulted] : state === 'ended' ? [] : context.sources
  const subject = { tenant, instanceId, definitionId, version, state, queue: standing.queue }
  const asked = sources.map((source) => source(subject))
  const blockers = [
    ...plain.blockers,
    ...(held === undefined ? [] : [flowBlocker(held)]),
    ...(await Promise.all(asked)).flat(),
  ]
  const waits = withChildren ? await explainChildren(context, tenant, plain.waitsFor) : plain.waitsFor
  const why = { ...plain, blockers, waitsFor: waits }
  return { tenant, instanceId, ...why, advice: adviceFor(why), text: whyText(why, standing.now) }
}

function explainChildren(context: WhyContext, tenant: string, waits: readonly WaitsFor[]): Promise<WaitsFor[]> {
  const first = waits.filter((wait) => wait.kind === 'child').slice(0, CHILDREN)
  return Promise.all(
    waits.map(async (wait) => {
      if (wait.kind !== 'child' || !first.includes(wait)) return wait
      const child = await askWhy(context, tenant, wait.instanceId, false).catch((error: unknown) => {
        if (InstanceNotFound.is(error)) return undefined // it has gone since
        throw error
      })
      return { ...wait, why: child?.text }
    }),
  )
}
