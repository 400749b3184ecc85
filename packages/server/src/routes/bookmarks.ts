import { fromWireId, toWireId } from '@lockstep/base'
import type { BookmarkView } from '@lockstep/engine/ports'
import Type from 'typebox'
import { InvalidCursor } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { closed, indexedText, instant, nullable } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const Bookmark = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: 'event, signal, task or human.' }),
  name: Type.String({ description: 'Of the event or signal; of a task, what it is about.' }),
  correlationId: nullable('string'),
  instanceId: Type.String(),
  definitionId: Type.String(),
  step: Type.String(),
  createdAt: instant(),
  expiresAt: instant('null: it waits for as long as it takes, or its step has a time-out of its own.'),
})

const toWire = (bookmark: BookmarkView) => ({
  id: toWireId('bookmark', bookmark.id),
  kind: bookmark.kind,
  name: bookmark.name,
  correlationId: bookmark.correlationId ?? null,
  instanceId: toWireId('instance', bookmark.instanceId),
  definitionId: bookmark.definitionId,
  step: bookmark.step,
  createdAt: iso(bookmark.createdAt),
  expiresAt: iso(bookmark.expiresAt),
})

export const listBookmarks = route({
  method: 'GET',
  path: '/bookmarks',
  name: 'listBookmarks',
  permission: 'instances:read',
  summary:
    'Lists what instances wait for from outside, newest first. A page may be shorter than its limit, or empty, while page.next leads on.',
  query: closed({
    name: Type.Optional(indexedText('Of the event or signal.')),
    kind: Type.Optional(indexedText('event, signal, task or human.')),
    correlationId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    instance: Type.Optional(InstanceId),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Bookmark, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  async handle({ browse, tenant }, { query: { cursor: text, limit = DEFAULT_ITEMS, instance, ...given } }) {
    const { name, kind, correlationId } = given
    const filter = JSON.stringify([name, kind, correlationId, instance])
    const cursor = fromCursor(text, filter, UUID)
    if (cursor?.back) throw new InvalidCursor({ reason: 'it belongs to a list that is read backward' })
    const wanted = { ...given, ...(instance === undefined ? {} : { instanceId: fromWireId('instance', instance) }) }
    const page = await browse.bookmarks(tenant, wanted, cursor?.key, limit + 1)
    const list = toList(page, toWire, { cursor, limit, filter, key: (row) => row.id })
    return { status: 200, body: { ...list, page: { ...list.page, prev: null } } }
  },
})
