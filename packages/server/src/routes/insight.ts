import { fromWireId } from '@lockstep/base'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { Activities, toWireActivities } from '../wire/activities.ts'
import { InstanceId, readInstance } from '../wire/instance.ts'
import { closed, oneOf } from '../wire/schema.ts'
import { State, toWireState } from '../wire/state.ts'
import { toWireWhy, WhyReply } from '../wire/why.ts'

export const whyInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/why',
  name: 'whyWorkflowInstance',
  permission: 'instances:read',
  summary: 'Why it stands where it stands: what it waits for, who has it, what is in its way, when it will move.',
  id: InstanceId,
  replies: { 200: WhyReply },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    return { status: 200, body: toWireWhy(await engine.why(fromWireId('instance', params.id), tenant)) }
  },
})

export const compensationsOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/compensations',
  name: 'listWorkflowInstanceCompensations',
  permission: 'instances:read',
  summary: 'Which of its steps can be undone, are being undone, were, or could not be; in order of completion.',
  id: InstanceId,
  replies: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          step: Type.String(),
          state: oneOf(['to-undo', 'undoing', 'undone', 'failed'], 'failed: mend the cause and retry the instance.'),
        }),
      ),
    }),
  },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle(context, { params }) {
    const instanceId = fromWireId('instance', params.id)
    await readInstance(context, instanceId)
    return { status: 200, body: { items: await context.engine.compensations(instanceId, context.tenant) } }
  },
})

export const stateOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/state',
  name: 'getWorkflowInstanceState',
  permission: 'instances:read',
  summary: 'What it was after one of its facts: variables, live steps, waits. The newest fact unless told.',
  id: InstanceId,
  query: closed({
    at: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the fact.' })),
  }),
  replies: { 200: State },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params, query }) {
    return { status: 200, body: toWireState(await engine.stateAt(fromWireId('instance', params.id), query.at, tenant)) }
  },
})

export const activitiesOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/activities',
  name: 'listWorkflowInstanceActivities',
  permission: 'instances:read',
  summary:
    'What became of every activity that has begun, over the whole journal up to one of its facts. The newest fact unless told.',
  id: InstanceId,
  query: closed({
    at: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the fact.' })),
  }),
  replies: { 200: Activities },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params, query }) {
    const found = await engine.activitiesAt(fromWireId('instance', params.id), query.at, tenant)
    return { status: 200, body: toWireActivities(found) }
  },
})
