import type { Json } from '@lockstep/base'
import Type from 'typebox'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID, definitionIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import {
  DefinitionId,
  DefinitionItem,
  DefinitionSummary,
  DraftReply,
  GraphDocument,
  nameOf,
  SaveAndPublishReply,
  toWireDraft,
  toWireItem,
  toWireSummary,
} from '../wire/definition.ts'
import { revisionOf, toEtag, toStateEtag } from '../wire/etag.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { closed, flag, oneOf } from '../wire/schema.ts'
import { saveAndPublish } from './save-and-publish.ts'

export const DOCUMENT_LIMIT = 10 * 1_048_576

const AFTER = new RegExp(DEFINITION_ID)

export const createDefinition = route({
  method: 'POST',
  path: '/workflow-definitions',
  name: 'createWorkflowDefinition',
  permission: 'definitions:write',
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
  permission: 'definitions:read',
  summary: 'Lists workflows by id, each with how its draft stands and what starts it.',
  query: closed({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'What the name begins with.' })),
    kind: Type.Optional(oneOf(['graph', 'function'])),
    published: Type.Optional(flag('Those of which new instances can start, or cannot.')),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(DefinitionItem) },
  problems: ['INVALID_CURSOR'],
  async handle({ browse, tenant }, { query: { name, kind, published, limit = DEFAULT_ITEMS, cursor } }) {
    const filter = [name, kind, published]
      .map((each) => each ?? '')
      .join('\n')
      .trim()
    const from = fromCursor(cursor, filter, AFTER)
    const place = { from: from?.key, back: from?.back === true }
    const page = await browse.definitions(tenant, { namePrefix: name, kind, published }, place, limit + 1)
    const ids = page.rows.map(({ id }) => id)
    const standings = new Map((await browse.standings(tenant, ids)).map((each) => [each.id, each]))
    const toItem = (row: (typeof page.rows)[number]) => toWireItem(row, standings.get(row.id))
    return { status: 200, body: toList(page, toItem, { cursor: from, limit, filter, key: ({ id }) => id }) }
  },
})

export const getDefinition = route({
  method: 'GET',
  path: '/workflow-definitions/:id',
  name: 'getWorkflowDefinition',
  permission: 'definitions:read',
  summary: 'Says what kind of workflow it is and which version is published.',
  id: DefinitionId,
  cached: true,
  replies: { 200: DefinitionSummary },
  problems: ['DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const draft = await engine.definitions.draft(tenant, definitionIdOf(params.id))
    const body = toWireSummary({ ...draft, name: nameOf(draft.id, draft.document) })
    return { status: 200, body, etag: toStateEtag(draft.revision, body) }
  },
})

export const putDefinition = route({
  method: 'PUT',
  path: '/workflow-definitions/:id',
  name: 'saveAndPublishWorkflowDefinition',
  permission: 'definitions:publish',
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
