import type { Json } from '@lockstep/base'
import { isEnded } from '../instance/instance-results.ts'
import { GRAPH_QUEUE } from '../start/start-planner.ts'
import type { Operators } from '../worker/worker-options.ts'
import { reviseClaim } from './revise-claim.ts'
import type { VerbContext } from './verb-context.ts'

const PAGE = 200

/** What workers need to do what operators ask of instances in their hands. */
export function operators(context: VerbContext): Operators {
  const { store } = context
  return {
    async endOf(tenant, instanceId) {
      const view = await store.instances.get(tenant, instanceId)
      if (view === undefined || view.finishedAt === undefined || !isEnded(view.status)) return undefined
      const { status, output, error } = view
      return { status, output: output as Json, error: (error ?? null) as Json, child: instanceId }
    },
    async terminateChildren({ tenant, instanceId }, reason) {
      const payload = JSON.stringify({ reason, children: true })
      let after: string | undefined
      for (;;) {
        const children = await store.verbs.children(tenant, instanceId, after, PAGE)
        for (const child of children) {
          const rest = { dedupeKey: 'terminate', queue: GRAPH_QUEUE, operationId: undefined }
          await store.verbs.send({ tenant, instanceId: child, kind: 'terminate', payload, ...rest })
          context.onSent(child)
        }
        after = children.at(-1)
        if (children.length < PAGE) return
      }
    },
    revise: (claim, loaded, message, order) => reviseClaim(context, claim, loaded, message, order),
    onGivenBack: () => context.onDue(),
  }
}
