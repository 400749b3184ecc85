import {
  LONGEST_SECRET_NAME,
  MOST_SECRET_HOSTS,
  SECRET_NAME,
  SecretNotFound,
  type SecretRecord,
  type SecretVault,
  secretHost,
} from '@lockstep/engine'
import Type from 'typebox'
import { InvalidRequest, RouteNotFound } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { type ApiContext, route } from '../route/route.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, instant, noContent, nullable } from '../wire/schema.ts'

const PATH = '/secrets'
const NAME = new RegExp(SECRET_NAME)
const Name = Type.String({ description: `Lower case with dashes, at most ${LONGEST_SECRET_NAME} characters.` })
/** Below it, whatever shows the value could not be told from other text. */
const SHORTEST = 6
const LONGEST = 65_536
const MOST_RESEALED = 500

const Secret = Type.Object({
  name: Name,
  revision: Type.Integer({ description: 'Rises with every value that it gets.' }),
  keyId: Type.String({ description: 'Of the key that it is sealed with.' }),
  hosts: Type.Array(Type.String(), { description: 'Where it may be sent; none: anywhere.' }),
  createdAt: instant(),
  updatedAt: instant(),
  updatedBy: Type.String(),
})

const toWire = (row: SecretRecord) => ({
  ...{ name: row.name, revision: row.revision, keyId: row.keyId, hosts: row.hosts, updatedBy: row.updatedBy },
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
})

function vaultOf({ secrets }: ApiContext): SecretVault {
  if (secrets === undefined) throw new RouteNotFound({ method: 'requests to', path: PATH })
  return secrets
}

const isName = (name: string): boolean => NAME.test(name) && name.length <= LONGEST_SECRET_NAME

export const listSecrets = route({
  method: 'GET',
  path: PATH,
  name: 'listSecrets',
  permission: 'secrets:read',
  summary: 'Lists secrets by name. No operation ever answers a value.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Secret, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle(context, { query: { limit = DEFAULT_ITEMS, cursor: text } }) {
    const cursor = fromCursor(text, '', NAME)
    const rows = await vaultOf(context).list({ tenant: context.tenant, after: cursor?.key, limit: limit + 1 })
    return { status: 200, body: toForwardList(rows, toWire, { cursor, limit, key: (row) => row.name }) }
  },
})

export const putSecret = route({
  method: 'PUT',
  path: `${PATH}/:id`,
  name: 'setSecret',
  permission: 'secrets:manage',
  summary: 'Gives a secret its value, from the next attempt of a step on. It cannot be read back.',
  id: Name,
  body: closed({
    value: Type.String({
      minLength: SHORTEST,
      maxLength: LONGEST,
      description: `${SHORTEST} characters or more: a shorter one could not be kept out of what steps write down.`,
    }),
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        maxItems: MOST_SECRET_HOSTS,
        description:
          'Where it may be sent: api.example.org, *.example.org, api.example.org:8443. Steps that send it elsewhere fail. None: anywhere. Absent: as it was.',
      }),
    ),
  }),
  replies: { 200: Secret },
  problems: ['SECRET_KEYS_MISSING'],
  async handle(context, { params, body, principal }) {
    const vault = vaultOf(context)
    if (!isName(params.id)) throw badName()
    if (/^\s|\s$|\0/.test(body.value))
      throw invalid('body', '/value', 'The value begins or ends with a blank or a line end: send it without')
    const hosts = body.hosts?.map((text, at) => secretHost(text) ?? badHost(text, at))
    const row = await vault.set(context.tenant, params.id, { value: body.value, hosts }, principal.id)
    return { status: 200, body: toWire(row) }
  },
})

export const deleteSecret = route({
  method: 'DELETE',
  path: `${PATH}/:id`,
  name: 'deleteSecret',
  permission: 'secrets:manage',
  summary: 'Takes a secret away. Steps that name it fail from the next attempt on.',
  id: Name,
  replies: { 204: noContent },
  problems: ['SECRET_NOT_FOUND'],
  async handle(context, { params }) {
    const removed = isName(params.id) && (await vaultOf(context).remove(context.tenant, params.id))
    if (!removed) throw new SecretNotFound({ name: params.id.slice(0, LONGEST_SECRET_NAME) })
    return { status: 204, body: undefined }
  },
})

const Place = closed({ tenant: Type.String({ maxLength: 255 }), name: Type.String({ maxLength: 255 }) })

export const rotateSecrets = route({
  method: 'POST',
  path: `${PATH}/rotate`,
  name: 'rotateSecrets',
  permission: 'secrets:manage',
  reach: 'cluster',
  summary: 'Seals secrets of all tenants anew with the first key, one round at a time. Repeating it is harmless.',
  body: closed({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_RESEALED, description: '100 by default.' })),
    after: Type.Optional(Place),
  }),
  bodyOptional: true,
  replies: {
    200: Type.Object({
      keyId: nullable('string'),
      resealed: Type.Integer(),
      unreadable: Type.Array(Type.Object({ tenant: Type.String(), name: Name, keyId: Type.String() }), {
        description: 'Left as they are: no key of this node opens them.',
      }),
      next: Type.Unsafe<{ tenant: string; name: string } | null>({
        type: ['object', 'null'],
        properties: { tenant: { type: 'string' }, name: { type: 'string' } },
        description: 'To be sent as "after"; null: all have been seen.',
      }),
    }),
  },
  problems: ['SECRET_KEYS_MISSING'],
  async handle(context, { body: { limit = 100, after } }) {
    const vault = vaultOf(context)
    const { resealed, unreadable, next } = await vault.rotate(after, limit)
    return { status: 200, body: { keyId: vault.keyId ?? null, resealed, unreadable, next: next ?? null } }
  },
})

const invalid = (part: 'body' | 'path', field: string, text: string): Error =>
  new InvalidRequest({ errors: [{ in: part, field, text }] })

function badHost(text: string, at: number): never {
  const shown = JSON.stringify(text.slice(0, 100))
  throw invalid(
    'body',
    `/hosts/${at}`,
    `${shown} is no host: write api.example.org, *.example.org or api.example.org:8443`,
  )
}

const badName = (): Error =>
  invalid(
    'path',
    'id',
    `The name of a secret is lower case with dashes and has at most ${LONGEST_SECRET_NAME} characters, such as billing-token`,
  )
