import type { Json } from '@lockstep/base'
import { authorOf } from '../auth/principal.ts'
import { definitionIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import { DefinitionId, DraftReply, GraphDocument, PublishReply, toWireDraft } from '../wire/definition.ts'
import { requiredRevisionOf, revisionOf, toEtag } from '../wire/etag.ts'
import { closed } from '../wire/schema.ts'
import { DOCUMENT_LIMIT } from './definitions.ts'

export const getDraft = route({
  method: 'GET',
  path: '/workflow-definitions/:id/draft',
  name: 'getWorkflowDraft',
  permission: 'definitions:read',
  summary: 'Answers the draft with its problems. Workflows written as functions have none: null.',
  id: DefinitionId,
  cached: true,
  replies: { 200: DraftReply },
  problems: ['DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const { id, kind, document, revision } = await engine.definitions.draft(tenant, definitionIdOf(params.id))
    const problems = kind === 'graph' ? engine.definitions.problems(document as Json) : []
    return { status: 200, body: toWireDraft(id, document, revision, problems), etag: toEtag(revision) }
  },
})

export const putDraft = route({
  method: 'PUT',
  path: '/workflow-definitions/:id/draft',
  name: 'saveWorkflowDraft',
  permission: 'definitions:write',
  summary: 'Replaces the draft that If-Match names. It may be unfinished: the answer lists what it lacks.',
  id: DefinitionId,
  body: GraphDocument,
  bodyJudge: 'engine',
  bodyLimit: DOCUMENT_LIMIT,
  ifMatch: 'required',
  replies: { 200: DraftReply },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_INVALID', 'DRAFT_CHANGED', 'IF_MATCH_REQUIRED'],
  async handle({ engine, tenant }, { params, body, headers, principal }) {
    const id = definitionIdOf(params.id)
    const based = requiredRevisionOf(headers['if-match'] as string | undefined, 'the draft')
    const by = authorOf(principal)
    const { revision, problems } = await engine.definitions.saveDraft(tenant, id, body as Json, based, by)
    return { status: 200, body: toWireDraft(id, body, revision, problems), etag: toEtag(revision) }
  },
})

export const publishDraft = route({
  method: 'POST',
  path: '/workflow-definitions/:id/publish',
  name: 'publishWorkflowDefinition',
  permission: 'definitions:publish',
  summary: 'Makes the draft the version that new instances get. Repeating it without a change publishes nothing new.',
  id: DefinitionId,
  body: closed({}),
  bodyOptional: true,
  ifMatch: 'optional',
  replies: { 200: PublishReply },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_INVALID', 'DRAFT_CHANGED'],
  async handle({ engine, tenant }, { params, headers }) {
    const based = revisionOf(headers['if-match'] as string | undefined)
    const { id, version, hash } = await engine.definitions.publish(tenant, definitionIdOf(params.id), based)
    return { status: 200, body: { id, version, hash } }
  },
})
