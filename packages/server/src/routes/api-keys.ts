import { fromWireId, parseDuration, toWireId, uuidSource } from '@lockstep/base'
import type { ApiKeyRecord } from '@lockstep/engine/ports'
import Type from 'typebox'
import { requireKept } from '../auth/access.ts'
import { issueKey } from '../auth/api-key.ts'
import { ApiKeyNotFound } from '../auth/errors.ts'
import { requireGrantable, requireOver } from '../auth/grant.ts'
import { permissions } from '../auth/permissions.ts'
import { boundTenant } from '../auth/principal.ts'
import { roles } from '../auth/roles.ts'
import { fromCursor } from '../request/cursor.ts'
import { checkSpan } from '../request/step-key.ts'
import { route } from '../route/route.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, duration, instant, oneOf } from '../wire/schema.ts'
import { TenantName } from '../wire/tenant.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const KeyId = Type.String({ description: 'key_ and a uuid.' })
const PATH = '/api-keys'

const members = {
  id: KeyId,
  name: Type.String(),
  tenant: Type.String(),
  role: oneOf(roles),
  permissions: Type.Unsafe<readonly string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'What the role is narrowed to; null: all of it.',
  }),
  createdBy: Type.String(),
  createdAt: instant(),
  expiresAt: instant(),
  lastUsedAt: instant('To the minute.'),
  revokedAt: instant(),
  live: Type.Boolean({ description: 'Neither revoked nor expired.' }),
}
export const ApiKey = Type.Object(members)
export const IssuedApiKey = Type.Object({
  ...members,
  key: Type.String({ description: 'The key itself. It is shown this once.' }),
})

const toWire = (row: ApiKeyRecord) => ({
  ...{ id: toWireId('apiKey', row.id), name: row.name, tenant: row.tenant, role: row.role },
  ...{ permissions: row.permissions ?? null, createdBy: row.createdBy, live: row.live },
  createdAt: iso(row.createdAt),
  expiresAt: iso(row.expiresAt),
  lastUsedAt: iso(row.lastUsedAt),
  revokedAt: iso(row.revokedAt),
})

export const createApiKey = route({
  method: 'POST',
  path: PATH,
  name: 'createApiKey',
  permission: 'keys:manage',
  secret: true,
  summary: 'Makes an API key. The answer is the only place where it ever stands.',
  body: closed({
    name: Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$', description: 'What it is for.' }),
    role: oneOf(roles),
    permissions: Type.Optional(
      Type.Array(oneOf(permissions), { maxItems: permissions.length, description: 'Narrows what the role may do.' }),
    ),
    expiresIn: Type.Optional(duration('At most 366d; never unless given.')),
    tenant: TenantName,
  }),
  replies: { 201: IssuedApiKey },
  problems: ['FORBIDDEN', 'INVALID_DURATION'],
  async handle({ access, clock, root }, { body, principal, note }) {
    note.target = body.name
    const { store, random } = requireKept(access, PATH)
    const tenant = requireGrantable(principal, body)
    if (body.expiresIn !== undefined) checkSpan('/expiresIn', body.expiresIn)
    const id = uuidSource(clock, random)()
    const { key, hash } = issueKey(id, random)
    const row = await store.keys.add({
      ...{ id, tenant, hash, name: body.name, role: body.role, permissions: body.permissions },
      createdBy: principal.id,
      expiresInMs: body.expiresIn === undefined ? undefined : parseDuration(body.expiresIn),
    })
    const wire = toWire(row)
    return { status: 201, body: { ...wire, key }, location: `${root}${PATH}/${wire.id}` }
  },
})

export const listApiKeys = route({
  method: 'GET',
  path: PATH,
  name: 'listApiKeys',
  permission: 'keys:manage',
  summary: 'Lists API keys, newest first, without the keys themselves.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(ApiKey, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle({ access }, { principal, query: { limit = DEFAULT_ITEMS, cursor: text } }) {
    const { store } = requireKept(access, PATH)
    const cursor = fromCursor(text, '', UUID)
    const rows = await store.keys.list({ tenant: boundTenant(principal), after: cursor?.key, limit: limit + 1 })
    return { status: 200, body: toForwardList(rows, toWire, { cursor, limit, key: (row) => row.id }) }
  },
})

export const revokeApiKey = route({
  method: 'POST',
  path: `${PATH}/:id/revoke`,
  name: 'revokeApiKey',
  permission: 'keys:manage',
  summary: 'Revokes an API key: at once on this node, within two seconds on all. Repeating it changes nothing.',
  id: KeyId,
  replies: { 200: ApiKey },
  problems: ['FORBIDDEN', 'INVALID_ID', 'API_KEY_NOT_FOUND'],
  async handle({ access }, { params, principal }) {
    const { store, forgetKey } = requireKept(access, PATH)
    const id = fromWireId('apiKey', params.id)
    const bound = boundTenant(principal)
    const found = await store.keys.find(id)
    // What another tenant has is as nothing: a refusal would tell that it is there.
    if (found !== undefined && (bound === undefined || found.tenant === bound)) requireOver(principal, found)
    const row = await store.keys.revoke(id, bound)
    if (row === undefined) throw new ApiKeyNotFound({ id: params.id })
    forgetKey(id)
    return { status: 200, body: toWire(row) }
  },
})
