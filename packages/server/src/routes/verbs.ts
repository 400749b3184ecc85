import { fromWireId, toWireId } from '@lockstep/base'
import { InstanceNotFound, type MigrateOutcome, type MigrationCheck, type RetryOutcome } from '@lockstep/engine'
import Type from 'typebox'
import { asFields } from '../problem/from-option.ts'
import {
  InstanceUndone,
  InstanceWrongState,
  MigrationImpossible,
  NothingToFork,
  ParentTold,
  StepNotFound,
} from '../problem/instance-errors.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { definitionIdOf } from '../request/ids.ts'
import { type Answer, type ApiContext, route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { Instance, InstanceId, readInstance } from '../wire/instance.ts'
import { anything, closed, flag, indexedText, oneOf } from '../wire/schema.ts'
import { Mapping, migrateFields, Values, VERB_OPTIONS, VersionField } from '../wire/verb-options.ts'

const Accepted = Type.Object({
  outcome: oneOf(['accepted', 'already-requested'], 'Durable: whoever has the instance does it next.'),
  instance: Instance,
})

const MOST_PROBLEMS = ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'INSTANCE_WRONG_STATE'] as const

export const terminateInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/terminate',
  name: 'terminateWorkflowInstance',
  permission: 'instances:operate',
  summary: 'Ends it at once. Nothing is undone; code that runs is told to stop, and not waited for.',
  id: InstanceId,
  body: VERB_OPTIONS.terminate,
  bodyOptional: true,
  replies: { 202: Accepted },
  problems: MOST_PROBLEMS,
  handle: (context, { params, body }) =>
    accepted(context, params.id, 'be terminated', (id, tenant) =>
      context.engine.verbs.terminate(id, { tenant, ...body }),
    ),
})

export const pauseInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/pause',
  name: 'pauseWorkflowInstance',
  permission: 'instances:operate',
  summary:
    'Nothing new starts until it is continued. What runs may finish; what falls due, and what it is sent, waits.',
  id: InstanceId,
  body: VERB_OPTIONS.pause,
  bodyOptional: true,
  replies: { 202: Accepted },
  problems: MOST_PROBLEMS,
  handle: (context, { params, body }) =>
    accepted(context, params.id, 'be paused', (id, tenant) => context.engine.verbs.pause(id, { tenant, ...body })),
})

export const continueInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/continue',
  name: 'continueWorkflowInstance',
  permission: 'instances:operate',
  summary: 'Lets a paused instance go on.',
  id: InstanceId,
  body: VERB_OPTIONS.continue,
  bodyOptional: true,
  replies: { 202: Accepted },
  problems: MOST_PROBLEMS,
  handle: (context, { params }) =>
    accepted(context, params.id, 'be continued', (id, tenant) => context.engine.verbs.continue(id, { tenant })),
})

export const setInstanceVariables = route({
  method: 'POST',
  path: '/workflow-instances/:id/variables',
  name: 'setWorkflowInstanceVariables',
  permission: 'instances:operate',
  summary: 'Gives variables of a graph other values, while it runs or rests.',
  id: InstanceId,
  body: closed({ variables: Values }),
  replies: { 202: Accepted },
  problems: MOST_PROBLEMS,
  handle: (context, { params, body }) =>
    accepted(context, params.id, 'have its variables changed', (id, tenant) =>
      context.engine.verbs.setVariables(id, body.variables, { tenant }),
    ),
})

export const retryInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/retry',
  name: 'retryWorkflowInstance',
  permission: 'instances:operate',
  summary:
    'Sends what has faulted, was put aside, or waits at an incident back to work, from what failed or from a step.',
  id: InstanceId,
  body: VERB_OPTIONS.retry,
  bodyOptional: true,
  replies: { 202: Accepted },
  problems: [
    ...MOST_PROBLEMS,
    'INSTANCE_UNDONE',
    'PARENT_TOLD',
    'STEP_NOT_FOUND',
    'MIGRATION_IMPOSSIBLE',
    'DEFINITION_NOT_FOUND',
  ],
  handle: (context, { params, body }) =>
    accepted(context, params.id, 'be retried', (id, tenant) => context.engine.verbs.retry(id, { tenant, ...body })),
})

export const migrateInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/migrate',
  name: 'migrateWorkflowInstance',
  permission: 'instances:operate',
  summary: 'Lets it go on as another version of its definition, once nothing of it runs.',
  id: InstanceId,
  body: closed({
    ...migrateFields,
    dryRun: Type.Optional(flag('Says whether it could as it stands now, and changes nothing.')),
  }),
  replies: {
    200: Type.Object({ outcome: oneOf(['possible'], 'Of a dry run.'), instance: Instance }),
    202: Accepted,
  },
  problems: [...MOST_PROBLEMS, 'MIGRATION_IMPOSSIBLE', 'DEFINITION_NOT_FOUND'],
  handle: (context, { params, body: { dryRun, ...wanted } }) =>
    accepted(context, params.id, 'be migrated', (id, tenant) =>
      dryRun === true
        ? context.engine.verbs.canMigrate(id, { tenant, ...wanted })
        : context.engine.verbs.migrate(id, { tenant, ...wanted }),
    ),
})

/** Asks, and answers the instance as it is then; what could not be done is a problem that says so. */
async function accepted(
  context: ApiContext,
  id: string,
  verb: string,
  ask: (instanceId: string, tenant: string) => Promise<RetryOutcome | MigrateOutcome | MigrationCheck>,
): Promise<Answer> {
  const instanceId = fromWireId('instance', id)
  const result = await asFields('body', () => ask(instanceId, context.tenant))
  switch (result.outcome) {
    case 'possible':
      return { status: 200, body: { outcome: result.outcome, instance: await readInstance(context, instanceId) } }
    case 'accepted':
    case 'already-requested':
      return { status: 202, body: { outcome: result.outcome, instance: await readInstance(context, instanceId) } }
    case 'not-found':
      throw new InstanceNotFound({ instanceId })
    case 'wrong-state':
      throw new InstanceWrongState({ instanceId: id, status: result.status, verb })
    case 'undone':
      throw new InstanceUndone({ instanceId: id })
    case 'parent-told':
      throw new ParentTold({ instanceId: id, parentId: toWireId('instance', result.parentId) })
    case 'unknown-step':
      throw new StepNotFound({ instanceId: id, step: result.step, steps: result.steps })
    case 'incompatible':
      throw new MigrationImpossible({ instanceId: id, problems: result.problems })
  }
}

export const forkInstance = route({
  method: 'POST',
  path: '/workflow-instances/:id/fork',
  name: 'forkWorkflowInstance',
  permission: 'instances:operate',
  summary:
    'Begins a new instance as a copy of this one, as it was after one of its facts. This one is left as it is. 200: the dedupeKey has been used, or the flow policy of the workflow refuses it, and the copy is cancelled.',
  id: InstanceId,
  body: closed({
    at: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The newest fact unless told.' }),
    ),
    input: Type.Optional(anything('Instead of the input of the original.')),
    variables: Type.Optional(Values),
    correlationId: Type.Optional(indexedText('That of the original unless given.')),
    dedupeKey: Type.Optional(indexedText('Two forks with the same key are one instance.')),
  }),
  bodyOptional: true,
  replies: { 200: Instance, 201: Instance },
  problems: [
    'INVALID_ID',
    'INSTANCE_NOT_FOUND',
    'NOTHING_TO_FORK',
    'INPUT_INVALID',
    'PAYLOAD_TOO_LARGE',
    'FLOW_KEY_FAILED',
  ],
  async handle(context, { params, body }) {
    const instanceId = fromWireId('instance', params.id)
    const result = await asFields('body', () =>
      context.engine.verbs.fork(instanceId, { tenant: context.tenant, ...body }),
    )
    if (result.outcome === 'not-found') throw await noSuchFact(context, instanceId)
    if (result.outcome === 'nothing-to-do')
      throw new NothingToFork({ instanceId: params.id, at: result.at, status: result.status })
    const instance = await readInstance(context, result.instanceId)
    return {
      status: result.outcome === 'forked' ? 201 : 200,
      body: instance,
      location: `${context.root}/workflow-instances/${instance.id}`,
    }
  },
})

/** The instance is there, and its journal is shorter. `engine.get` says the rest. */
async function noSuchFact({ engine, tenant }: ApiContext, instanceId: string): Promise<Error> {
  const { revision } = await engine.get(instanceId, tenant)
  const text = `"at" must be the number of one of its facts, 1 to ${revision}`
  return new InvalidRequest({ errors: [{ in: 'body', field: '/at', text }] })
}

const Forecast = Type.Object({
  checked: Type.Integer(),
  possible: Type.Integer(),
  impossible: Type.Integer(),
  unknown: Type.Integer({ description: 'Their code is not on this node.' }),
  complete: Type.Boolean({ description: 'false: there are more than were looked at.' }),
  problems: anything('How many instances have a problem of each kind.'),
  examples: Type.Array(Type.Object({ instanceId: Type.String(), problems: Type.Array(Type.Unknown()) })),
})

export const forecastMigration = route({
  method: 'POST',
  path: '/workflow-definitions/:id/migration-forecast',
  name: 'forecastWorkflowMigration',
  permission: 'instances:operate',
  audit: 'never',
  summary: 'What a migration of all instances of a version would come to. Changes nothing.',
  id: DefinitionId,
  body: closed({
    from: VersionField,
    to: VersionField,
    mapping: Type.Optional(Mapping),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: '100,000 unless told.' })),
  }),
  replies: { 200: Forecast },
  problems: ['DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params, body }) {
    const plan = { tenant, definitionId: definitionIdOf(params.id), ...body }
    const forecast = await asFields('body', () => engine.verbs.forecastMigration(plan))
    const examples = forecast.examples.map((each) => ({ ...each, instanceId: toWireId('instance', each.instanceId) }))
    return { status: 200, body: { ...forecast, examples } }
  },
})
