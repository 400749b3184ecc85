/** Runs of drafts. They are ordinary instances of the test tenant beside the caller's, and have addresses of their own. */
import { testTenant } from '@lockstep/engine'
import Type from 'typebox'
import { Forbidden } from '../auth/errors.ts'
import { may } from '../auth/principal.ts'
import { definitionIdOf } from '../request/ids.ts'
import { type ApiContext, route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { Instance, InstanceId, readInstance } from '../wire/instance.ts'
import { CursorParameter, Limit, listOf } from '../wire/list.ts'
import { anything, closed, indexedText, oneOf } from '../wire/schema.ts'
import { State } from '../wire/state.ts'
import { cancelInstance } from './cancel.ts'
import { stateOfInstance } from './insight.ts'
import { getInstance, listInstances } from './instances.ts'
import { readJournal } from './journal.ts'
import { resumeInstance } from './resume.ts'

const Pins = Type.Record(
  Type.String({ minLength: 1, maxLength: 200 }),
  closed({
    output: anything('What the step answers.'),
    outcome: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'done unless told.' })),
  }),
  { description: 'By activity id: steps that are not executed, and what they answer instead.', maxProperties: 500 },
)

export const startTestRun = route({
  method: 'POST',
  path: '/workflow-definitions/:id/test-runs',
  name: 'startTestRun',
  permission: 'definitions:write',
  summary:
    'Runs the draft without publishing it. Effects of its steps are real, unless they are pinned. Asks for instances:start too.',
  id: DefinitionId,
  body: closed({
    input: Type.Optional(anything('What the workflow sees as its input; null unless given.')),
    correlationId: Type.Optional(indexedText('Events that the test publishes with the same one reach it.')),
    pins: Type.Optional(Pins),
    until: Type.Optional(
      Type.String({ maxLength: 200, description: 'The last step to run; all of them unless told.' }),
    ),
  }),
  bodyOptional: true,
  replies: { 201: Instance },
  problems: [
    'DEFINITION_NOT_FOUND',
    'DEFINITION_IS_CODE',
    'DEFINITION_INVALID',
    'DRAFT_CHANGED',
    'TEST_STEP_UNKNOWN',
    'INPUT_INVALID',
    'PAYLOAD_TOO_LARGE',
  ],
  async handle(context, { params, body, principal }) {
    const { engine, tenant, root } = context
    if (!may(principal, 'instances:start'))
      throw new Forbidden({ who: principal.name, permission: 'permission instances:start' })
    const definitionId = definitionIdOf(params.id)
    const { instanceId } = await engine.testRuns.start({ tenant, definitionId, ...body } as Parameters<
      typeof engine.testRuns.start
    >[0])
    const run = await readInstance(inTest(context), instanceId)
    return { status: 201, body: run, location: `${root}/test-runs/${run.id}` }
  },
})

const inTest = (context: ApiContext): ApiContext => ({ ...context, tenant: testTenant(context.tenant) })

export const listTestRuns = route({
  method: 'GET',
  path: '/test-runs',
  name: 'listTestRuns',
  permission: 'instances:read',
  summary: 'Lists runs of drafts, newest first.',
  query: closed({ definition: Type.Optional(DefinitionId), limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Instance) },
  problems: ['INVALID_CURSOR'],
  handle: (context, call) => listInstances.handle(inTest(context), call as never),
})

export const getTestRun = route({
  method: 'GET',
  path: '/test-runs/:id',
  name: 'getTestRun',
  permission: 'instances:read',
  summary: 'Answers one run of a draft.',
  id: InstanceId,
  ...{ query: getInstance.query!, replies: getInstance.replies, problems: getInstance.problems },
  handle: (context, call) => getInstance.handle(inTest(context), call as never),
})

export const readTestRunJournal = route({
  method: 'GET',
  path: '/test-runs/:id/journal',
  name: 'readTestRunJournal',
  permission: 'instances:read',
  summary: 'Lists the facts of a run of a draft, oldest or newest first.',
  id: InstanceId,
  ...{ query: readJournal.query!, replies: readJournal.replies, problems: readJournal.problems },
  handle: (context, call) => readJournal.handle(inTest(context), call as never),
})

export const stateOfTestRun = route({
  method: 'GET',
  path: '/test-runs/:id/state',
  name: 'getTestRunState',
  permission: 'instances:read',
  summary: 'What a run of a draft was after one of its facts. The newest fact unless told.',
  id: InstanceId,
  ...{ query: stateOfInstance.query!, replies: { 200: State }, problems: stateOfInstance.problems },
  handle: (context, call) => stateOfInstance.handle(inTest(context), call as never),
})

export const resumeTestRun = route({
  method: 'POST',
  path: '/test-runs/:id/resume',
  name: 'resumeTestRun',
  permission: 'definitions:write',
  summary: 'Gives a run of a draft what it waits for. No event from outside reaches it.',
  id: InstanceId,
  body: resumeInstance.body!,
  bodyOptional: true,
  replies: { 200: Type.Object({ outcome: oneOf(['resumed']), instance: Instance }) },
  problems: resumeInstance.problems,
  handle: (context, call) => resumeInstance.handle(inTest(context), call as never),
})

export const cancelTestRun = route({
  method: 'POST',
  path: '/test-runs/:id/cancel',
  name: 'cancelTestRun',
  permission: 'definitions:write',
  summary: 'Asks a run of a draft to stop. Repeating it is harmless.',
  id: InstanceId,
  body: cancelInstance.body!,
  bodyOptional: true,
  replies: { 202: Instance },
  problems: cancelInstance.problems,
  handle: (context, call) => cancelInstance.handle(inTest(context), call as never),
})
