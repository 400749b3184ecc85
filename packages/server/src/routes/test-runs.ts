/** Runs of drafts. They are ordinary instances of the test tenant beside the caller's, and have addresses of their own. */
import { testTenant } from '@lockstep/engine'
import Type, { type TSchema } from 'typebox'
import { requirePermission } from '../auth/require-permission.ts'
import { definitionIdOf } from '../request/ids.ts'
import { type ApiContext, type Route, route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { Instance, readInstance } from '../wire/instance.ts'
import { CursorParameter, Limit, listOf } from '../wire/list.ts'
import { anything, closed, indexedText } from '../wire/schema.ts'
import { cancelInstance } from './cancel.ts'
import { activitiesOfInstance, stateOfInstance } from './insight.ts'
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
    requirePermission(principal, 'instances:start')
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

/** The same as with any instance, on runs of drafts. */
function onTestRuns<Query extends TSchema | undefined, Body extends TSchema | undefined>(
  original: Route<Query, Body>,
  own: Pick<Route<Query, Body>, 'path' | 'name' | 'permission' | 'summary'>,
): Route<Query, Body> {
  return { ...original, ...own, handle: (context, call) => original.handle(inTest(context), call) }
}

export const getTestRun = onTestRuns(getInstance, {
  path: '/test-runs/:id',
  name: 'getTestRun',
  permission: 'instances:read',
  summary: 'Answers one run of a draft.',
})

export const readTestRunJournal = onTestRuns(readJournal, {
  path: '/test-runs/:id/journal',
  name: 'readTestRunJournal',
  permission: 'instances:read',
  summary: 'Lists the facts of a run of a draft, oldest or newest first.',
})

export const stateOfTestRun = onTestRuns(stateOfInstance, {
  path: '/test-runs/:id/state',
  name: 'getTestRunState',
  permission: 'instances:read',
  summary: 'What a run of a draft was after one of its facts. The newest fact unless told.',
})

export const activitiesOfTestRun = onTestRuns(activitiesOfInstance, {
  path: '/test-runs/:id/activities',
  name: 'listTestRunActivities',
  permission: 'instances:read',
  summary: 'What became of every activity of a run of a draft. Up to the newest fact unless told.',
})

export const resumeTestRun = onTestRuns(resumeInstance, {
  path: '/test-runs/:id/resume',
  name: 'resumeTestRun',
  permission: 'definitions:write',
  summary: 'Gives a run of a draft what it waits for. No event from outside reaches it.',
})

export const cancelTestRun = onTestRuns(cancelInstance, {
  path: '/test-runs/:id/cancel',
  name: 'cancelTestRun',
  permission: 'definitions:write',
  summary: 'Asks a run of a draft to stop. Repeating it is harmless.',
})
