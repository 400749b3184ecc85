import type { Json } from '@lockstep/base'
import type { DefinitionOrder } from '@lockstep/engine/ports'
import Type from 'typebox'
import { authorOf } from '../auth/principal.ts'
import { requirePermission } from '../auth/require-permission.ts'
import { SearchText, Tags, tagsOf } from '../filter/instance-filter.ts'
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
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, sortOf, toList } from '../wire/list.ts'
import { closed, flag, oneOf } from '../wire/schema.ts'
import { type SaveAndPublish, saveAndPublish } from './save-and-publish.ts'

export const DOCUMENT_LIMIT = 10 * 1_048_576

const SORTS = ['id', '-id', 'name', '-name', 'updatedAt', '-updatedAt'] as const

function orderOf(sort: (typeof SORTS)[number]): { readonly order: DefinitionOrder; readonly descending: boolean } {
  const descending = sort.startsWith('-')
  return { order: (descending ? sort.slice(1) : sort) as DefinitionOrder, descending }
}

/** What a key in each order looks like: the id, behind what the list is ordered by. The store takes every character but NUL. */
const ID = DEFINITION_ID.replace(/^\^|\$$/g, '')
const KEYS: Readonly<Record<DefinitionOrder, RegExp>> = {
  id: new RegExp(DEFINITION_ID),
  name: new RegExp(`^[^\\u0000]{0,400} ${ID}$`),
  updatedAt: new RegExp(`^\\d{1,17} ${ID}$`),
}

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
  async handle({ engine, tenant, root }, { body, principal }) {
    const { id, revision, problems } = await engine.definitions.create(tenant, body as Json, authorOf(principal))
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
  summary: 'Lists workflows by id unless told, each with how its draft stands and what starts it.',
  query: closed({
    q: SearchText('What the id, the name or a tag contains, whatever the case.'),
    tag: Tags,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'What the name begins with.' })),
    kind: Type.Optional(oneOf(['graph', 'function'])),
    published: Type.Optional(flag('Those of which new instances can start, or cannot.')),
    sort: sortOf(SORTS, 'id'),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(DefinitionItem) },
  problems: ['INVALID_CURSOR'],
  async handle({ browse, tenant }, { query }) {
    const { q, tag, name, kind, published, sort = 'id', limit = DEFAULT_ITEMS, cursor } = query
    const parts = [name, kind, published, q, tag, sort === 'id' ? undefined : sort]
    // Of a list without any, nodes of the version before say nothing.
    const filter = parts.every((each) => each === undefined) ? '' : parts.map((each) => each ?? '').join('\n')
    const { order, descending } = orderOf(sort)
    const from = fromCursor(cursor, filter, KEYS[order])
    const place = { from: from?.key, back: from?.back === true, order, descending }
    const wanted = { namePrefix: name, kind, published, tags: tagsOf(tag), text: q?.trim() }
    const page = await browse.definitions(tenant, wanted, place, limit + 1)
    const ids = page.rows.map(({ id }) => id)
    const standings = new Map((await browse.standings(tenant, ids)).map((each) => [each.id, each]))
    const toItem = (row: (typeof page.rows)[number]) => toWireItem(row, standings.get(row.id))
    return { status: 200, body: toList(page, toItem, { cursor: from, limit, filter, key: ({ key }) => key }) }
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
    'Saves the draft and publishes it; creates the workflow when there is none. A document with errors changes nothing. With `If-None-Match: *` it only creates, with `If-Match: *` it only replaces. Asks for definitions:write too.',
  id: DefinitionId,
  body: GraphDocument,
  bodyJudge: 'engine',
  bodyLimit: DOCUMENT_LIMIT,
  ifMatch: 'optional',
  replies: { 200: SaveAndPublishReply, 201: SaveAndPublishReply },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_EXISTS', 'DEFINITION_INVALID', 'DRAFT_CHANGED'],
  async handle({ engine, tenant, root }, { params, body, headers, principal }) {
    requirePermission(principal, 'definitions:write')
    const id = definitionIdOf(params.id)
    const when = conditionOf(headers['if-match'] as string | undefined, headers['if-none-match'] as string | undefined)
    const saved = await saveAndPublish(engine.definitions, {
      ...{ tenant, id, when },
      document: body as Json,
      by: authorOf(principal),
    })
    const { created, revision, version, hash, problems } = saved
    return {
      status: created ? 201 : 200,
      body: { id, version, hash, etag: toEtag(revision), problems },
      etag: toEtag(revision),
      location: `${root}/workflow-definitions/${id}`,
    }
  },
})

function conditionOf(ifMatch: string | undefined, ifNoneMatch: string | undefined): SaveAndPublish['when'] {
  if (ifNoneMatch?.trim() === '*') return 'new'
  return revisionOf(ifMatch) ?? (ifMatch === undefined ? 'any' : 'there')
}
