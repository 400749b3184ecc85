import { fromWireId } from '@lockstep/base'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { closed } from '../wire/schema.ts'
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
