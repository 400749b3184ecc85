import type { Json } from '@lockstep/base'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID, definitionIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import {
  DefinitionId,
  DefinitionSummary,
  DraftReply,
  GraphDocument,
  nameOf,
  SaveAndPublishReply,
  toWireDraft,
  toWireSummary,
} from '../wire/definition.ts'
import { revisionOf, toEtag } from '../wire/etag.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { closed } from '../wire/schema.ts'
import { saveAndPublish } from './save-and-publish.ts'

export const DOCUMENT_LIMIT = 10 * 1_048_576

const AFTER = new RegExp(DEFINITION_ID)

export const createDefinition = route({
  method: 'POST',
  path: '/workflow-definitions',
  name: 'createWorkflowDefinition',
  summary: 'Creates a workflow with its first draft. A draft may be unfinished: the answer lists what it lacks.',
  body: GraphDocument,
  bodyJudge: 'engine',
  bodyLimit: DOCUMENT_LIMIT,
  replies: { 201: DraftReply },
  problems: ['DEFINITION_INVALID', 'DEFINITION_EXISTS'],
  async handle({ engine, tenant, root }, { body }) {
    const { id, revision, problems } = await engine.definitions.create(tenant, body as Json)
    return {
      status: 201,
      body: toWireDraft(id, body, revision, problems),
      etag: toEtag(revision),
      location: `${root}/workflow-definitions/${id}`,
    }
  },
})

export const listDefinitions = route({
  method: 'GET',
  path: '/workflow-definitions',
  name: 'listWorkflowDefinitions',
  summary: 'Lists workflows by id.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(DefinitionSummary) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { limit = DEFAULT_ITEMS, cursor } }) {
    const from = fromCursor(cursor, '', AFTER)
    const rows = await engine.definitions.list(tenant, from?.after, limit + 1)
    const place = { limit, seen: from?.seen ?? 0, filter: '', key: (row: { readonly id: string }) => row.id }
    return { status: 200, body: toList(rows, toWireSummary, place) }
  },
})

export const getDefinition = route({
  method: 'GET',
  path: '/workflow-definitions/:id',
  name: 'getWorkflowDefinition',
  summary: 'Says what kind of workflow it is and which version is published.',
  id: DefinitionId,
  replies: { 200: DefinitionSummary },
  problems: ['DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const draft = await engine.definitions.draft(tenant, definitionIdOf(params.id))
    return {
      status: 200,
      body: toWireSummary({ ...draft, name: nameOf(draft.id, draft.document) }),
      etag: toEtag(draft.revision),
    }
  },
})

export const putDefinition = route({
  method: 'PUT',
  path: '/workflow-definitions/:id',
  name: 'saveAndPublishWorkflowDefinition',
  summary:
    'Saves the draft and publishes it; creates the workflow when there is none. A document with errors changes nothing.',
  id: DefinitionId,
  body: GraphDocument,
  bodyJudge: 'engine',
  bodyLimit: DOCUMENT_LIMIT,
  ifMatch: 'optional',
  replies: { 200: SaveAndPublishReply, 201: SaveAndPublishReply },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_INVALID', 'DRAFT_CHANGED'],
  async handle({ engine, tenant, root }, { params, body, headers }) {
    const id = definitionIdOf(params.id)
    const saved = await saveAndPublish(
      engine.definitions,
      tenant,
      id,
      body as Json,
      revisionOf(headers['if-match'] as string | undefined),
    )
    const { created, revision, version, hash, problems } = saved
    return {
      status: created ? 201 : 200,
      body: { id, version, hash, etag: toEtag(revision), problems },
      etag: toEtag(revision),
      location: `${root}/workflow-definitions/${id}`,
    }
  },
})
