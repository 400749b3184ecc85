import { fromWireId } from '@lockstep/base'
import { InstanceEnded } from '../problem/instance-errors.ts'
import { route } from '../route/route.ts'
import { Instance, InstanceId, readInstance } from '../wire/instance.ts'
import { VERB_OPTIONS } from '../wire/verb-options.ts'

export const cancelInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/cancel',
  name: 'cancelWorkflowInstance',
  permission: 'instances:operate',
  summary: 'Asks an instance to stop: 202 when the wish is durable. Repeating it is harmless.',
  id: InstanceId,
  body: VERB_OPTIONS.cancel,
  bodyOptional: true,
  replies: { 202: Instance },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'INSTANCE_ENDED'],
  async handle(context, { params, body }) {
    const instanceId = fromWireId('instance', params.id)
    const sent = await context.engine.cancel(instanceId, { tenant: context.tenant, ...body })
    const instance = await readInstance(context, instanceId)
    if (!sent && instance.status !== 'cancelled')
      throw new InstanceEnded({ instanceId: instance.id, status: instance.status })
    return { status: 202, body: instance }
  },
})
