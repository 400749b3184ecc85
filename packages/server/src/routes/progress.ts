import { fromWireId } from '@lockstep/base'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { ProgressReply, toWireProgress } from '../wire/progress.ts'

export const progressOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/progress',
  name: 'getWorkflowInstanceProgress',
  permission: 'instances:read',
  summary: 'How far its running steps have come, as they say. A step that says nothing is not listed.',
  id: InstanceId,
  replies: { 200: ProgressReply },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const instanceId = fromWireId('instance', params.id)
    const rows = await engine.progress(instanceId, tenant)
    // Nothing said, or nobody there: only then it is worth a look.
    if (rows.length === 0) await engine.get(instanceId, tenant)
    return { status: 200, body: { items: rows.map(toWireProgress) } }
  },
})
