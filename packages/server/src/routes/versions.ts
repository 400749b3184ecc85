import type { DocumentSource } from '@lockstep/engine'
import Type from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID, definitionIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import { DefinitionId, PublishReply } from '../wire/definition.ts'
import { revisionOf, toEtag } from '../wire/etag.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { closed, nullable, oneOf } from '../wire/schema.ts'
import {
  ConsumerItem,
  Diff,
  toWireConsumer,
  toWireVersion,
  Version,
  VersionItem,
  VersionNumber,
} from '../wire/version.ts'

const NUMBER = /^\d{1,10}$/
const ID = new RegExp(DEFINITION_ID)

export const listVersions = route({
  method: 'GET',
  path: '/workflow-definitions/:id/versions',
  name: 'listWorkflowVersions',
  permission: 'definitions:read',
  summary: 'Lists the published versions, newest first.',
  id: DefinitionId,
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(VersionItem) },
  problems: ['DEFINITION_NOT_FOUND', 'INVALID_CURSOR'],
  async handle({ engine, tenant }, { params, query: { limit = DEFAULT_ITEMS, cursor } }) {
    const id = definitionIdOf(params.id)
    const from = fromCursor(cursor, id, NUMBER)
    const versions = (before: number | undefined, most: number) => engine.definitions.versions(tenant, id, before, most)
    // Versions are numbered without gaps: the page before one is told by its number.
    const rows =
      from?.back === true
        ? (await versions(Number(from.key) + limit + 2, limit + 1)).filter((row) => row.version > Number(from.key))
        : await versions(from === undefined ? undefined : Number(from.key), limit + 1)
    if (rows.length === 0) await engine.definitions.draft(tenant, id)
    const place = { cursor: from, limit, filter: id, key: (row: { version: number }) => String(row.version) }
    return { status: 200, body: toList(pageOf(rows), toWireVersion, place) }
  },
})

export const getVersion = route({
  method: 'GET',
  path: '/workflow-definitions/:id/versions/:version',
  name: 'getWorkflowVersion',
  permission: 'definitions:read',
  summary: 'Answers one version with its document, and how many instances of it have not ended.',
  id: DefinitionId,
  params: { version: VersionNumber },
  replies: { 200: Version },
  problems: ['DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const id = definitionIdOf(params.id)
    const number = Number(params.version)
    const { version, kind, hash, document } = await engine.definitions.version(tenant, id, number)
    const pinned = await engine.definitions.pinned(tenant, id, number)
    return { status: 200, body: { id, version, kind, hash, document: document ?? null, pinned } }
  },
})

export const republishVersion = route({
  method: 'POST',
  path: '/workflow-definitions/:id/versions/:version/publish',
  name: 'republishWorkflowVersion',
  permission: 'definitions:publish',
  summary: 'Makes an older version the one that new instances get. The draft stays as it is.',
  id: DefinitionId,
  params: { version: VersionNumber },
  body: closed({}),
  bodyOptional: true,
  replies: { 200: PublishReply },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_INVALID', 'DEFINITION_IS_CODE'],
  async handle({ engine, tenant }, { params }) {
    const id = definitionIdOf(params.id)
    return { status: 200, body: await engine.definitions.republish(tenant, id, Number(params.version)) }
  },
})

export const retractDefinition = route({
  method: 'POST',
  path: '/workflow-definitions/:id/retract',
  name: 'retractWorkflowDefinition',
  permission: 'definitions:publish',
  summary: 'No new instance starts, unless it names a version; those that run go on. Repeating it is harmless.',
  id: DefinitionId,
  body: closed({}),
  bodyOptional: true,
  replies: { 200: Type.Object({ id: Type.String(), version: nullable('integer') }) },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_IS_CODE'],
  async handle({ engine, tenant }, { params }) {
    const id = definitionIdOf(params.id)
    await engine.definitions.retract(tenant, id)
    return { status: 200, body: { id, version: null } }
  },
})

export const discardDraft = route({
  method: 'DELETE',
  path: '/workflow-definitions/:id/draft',
  name: 'discardWorkflowDraft',
  permission: 'definitions:write',
  summary: 'Undoes what was saved since the current version. A workflow that never had a version is deleted.',
  id: DefinitionId,
  ifMatch: 'optional',
  replies: {
    200: Type.Object({
      id: Type.String(),
      status: oneOf(['deleted', 'reset']),
      version: nullable('integer', { description: 'What the draft says now.' }),
      etag: nullable('string'),
    }),
  },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_IS_CODE', 'DRAFT_CHANGED'],
  async handle({ engine, tenant }, { params, headers }) {
    const based = revisionOf(headers['if-match'] as string | undefined)
    const done = await engine.definitions.discardDraft(tenant, definitionIdOf(params.id), based)
    const left = done.status === 'reset' ? { version: done.version, etag: toEtag(done.revision) } : undefined
    return { status: 200, body: { id: done.id, status: done.status, version: null, etag: null, ...left } }
  },
})

export const diffDefinition = route({
  method: 'GET',
  path: '/workflow-definitions/:id/diff',
  name: 'diffWorkflowDefinition',
  permission: 'definitions:read',
  summary: 'What differs in meaning between two versions, and what that means for running instances.',
  id: DefinitionId,
  query: closed({
    from: Type.Optional(Type.String({ description: 'A version, published or draft; published unless told.' })),
    to: Type.Optional(Type.String({ description: 'A version, published or draft; draft unless told.' })),
  }),
  replies: { 200: Diff },
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_INVALID', 'DEFINITION_IS_CODE'],
  async handle({ engine, tenant }, { params, query: { from = 'published', to = 'draft' } }) {
    const id = definitionIdOf(params.id)
    return { status: 200, body: await engine.definitions.diff(tenant, id, sourceOf('from', from), sourceOf('to', to)) }
  },
})

function sourceOf(field: string, text: string): DocumentSource {
  if (text === 'draft' || text === 'published') return text
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  const fault = `"${field}" must be the number of a version, published or draft`
  throw new InvalidRequest({ errors: [{ in: 'query', field, text: fault }] })
}

export const listConsumers = route({
  method: 'GET',
  path: '/workflow-definitions/:id/consumers',
  name: 'listWorkflowConsumers',
  permission: 'definitions:read',
  summary: 'Which workflows run this one. Functions do not say beforehand whom they run.',
  id: DefinitionId,
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(ConsumerItem, { prev: 'Always null: this list is read forward.' }) },
  problems: ['DEFINITION_NOT_FOUND', 'INVALID_CURSOR'],
  async handle({ engine, tenant }, { params, query: { limit = DEFAULT_ITEMS, cursor } }) {
    const id = definitionIdOf(params.id)
    const from = fromCursor(cursor, id, ID)
    const rows = await engine.definitions.consumers(tenant, id, from?.key, limit + 1)
    if (rows.length === 0) await engine.definitions.draft(tenant, id)
    const { page, ...list } = toList(pageOf(rows), toWireConsumer, {
      cursor: from,
      limit,
      filter: id,
      key: (row) => row.id,
    })
    return { status: 200, body: { ...list, page: { ...page, prev: null } } }
  },
})
