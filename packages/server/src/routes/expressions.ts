/** What an author writes, held against what an instance knew: of real runs, and of test runs by the same address. */
import { fromWireId } from '@lockstep/base'
import { InstanceNotFound, testTenant } from '@lockstep/engine'
import Type from 'typebox'
import { type ApiContext, route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { anything, closed, nullable, oneOf } from '../wire/schema.ts'

/** As long as the engine reads. */
const LONGEST_SOURCE = 64 * 1_024

const At = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the fact; the newest unless told.' }),
)
const Step = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'Activity whose expression it is: it sees what that one saw when it began. None unless told.',
  }),
)
const Place = {
  seq: Type.Integer({ description: 'The fact that it follows.' }),
  exact: Type.Boolean({ description: 'Whether the step itself saw exactly this. false: the run never came to it.' }),
}

export const scopeOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/scope',
  name: 'getWorkflowInstanceScope',
  permission: 'instances:read',
  summary: 'What expressions see there: input, variables, outputs of earlier steps. For editors.',
  id: InstanceId,
  query: closed({ at: At, step: Step }),
  replies: {
    200: Type.Object({
      ...Place,
      scope: anything('input, vars, steps; inside loops item and index; where caught error.'),
    }),
  },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'DEFINITION_NOT_FOUND'],
  async handle(context, { params, query: { at, step } }) {
    const instanceId = fromWireId('instance', params.id)
    const found = await eitherTenant(context, (tenant) =>
      context.engine.scopeAt(instanceId, { at, activity: step }, tenant),
    )
    return { status: 200, body: found }
  },
})

export const evaluateExpression = route({
  method: 'POST',
  path: '/workflow-instances/:id/evaluate',
  name: 'evaluateExpression',
  permission: 'instances:read',
  audit: 'never',
  secret: true,
  summary: 'What an expression would give there, in the sandbox and within its limits. Changes nothing.',
  id: InstanceId,
  body: closed({ expression: Type.String({ maxLength: LONGEST_SOURCE }), at: At, step: Step }),
  replies: {
    200: Type.Object({
      ...Place,
      status: oneOf(
        ['value', 'invalid', 'failed', 'limit'],
        'invalid: it cannot be read. failed: it threw. limit: it took too much.',
      ),
      value: anything('null unless there is one.'),
      message: nullable('string', { description: 'Why there is no value.' }),
      line: nullable('integer', { description: 'Where it cannot be read, from 1.' }),
      column: nullable('integer', { description: 'From 1.' }),
    }),
  },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'DEFINITION_NOT_FOUND', 'SANDBOX_UNAVAILABLE'],
  async handle(context, { params, body: { expression, at, step } }) {
    const instanceId = fromWireId('instance', params.id)
    const found = await eitherTenant(context, (tenant) =>
      context.engine.previewExpression(expression, { tenant, instanceId, at, activity: step }),
    )
    return { status: 200, body: { value: null, message: null, line: null, column: null, ...found } }
  },
})

async function eitherTenant<T>({ tenant }: ApiContext, read: (tenant: string) => Promise<T>): Promise<T> {
  try {
    return await read(tenant)
  } catch (error) {
    if (InstanceNotFound.is(error)) return read(testTenant(tenant))
    throw error
  }
}
