import Type from 'typebox'
import { InvalidCursor } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { closed } from '../wire/schema.ts'

const Endpoint = Type.Object({
  method: Type.String(),
  path: Type.String({ description: 'Behind /workflows; {} stands for a parameter.' }),
  definitionId: Type.String(),
  version: Type.Integer(),
  activity: Type.String({ description: 'Id of the http-endpoint.' }),
})

/** A shape and a method, with a space between. */
const PLACE = /^\/[^\s]{0,600} [A-Z]{1,10}$/

export const listEndpoints = route({
  method: 'GET',
  path: '/http-endpoints',
  name: 'listHttpEndpoints',
  permission: 'definitions:read',
  summary: 'Lists the paths at which published workflows answer, by path.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Endpoint, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { cursor: text, limit = DEFAULT_ITEMS } }) {
    const cursor = fromCursor(text, '', PLACE)
    if (cursor?.back) throw new InvalidCursor({ reason: 'it belongs to a list that is read backward' })
    const [shape, method] = cursor?.key.split(' ') ?? []
    const after = shape === undefined || method === undefined ? undefined : { shape, method }
    const rows = await engine.http.list(after, limit + 1, tenant)
    const key = (row: { readonly shape: string; readonly method: string }): string => `${row.shape} ${row.method}`
    const list = toList(
      pageOf(rows),
      (row) => ({
        method: row.method,
        path: row.shape,
        definitionId: row.definitionId,
        version: row.version,
        activity: row.activity,
      }),
      { cursor, limit, filter: '', key },
    )
    return { status: 200, body: { ...list, page: { ...list.page, prev: null } } }
  },
})
