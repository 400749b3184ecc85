import type { UserRecord, UserStore } from '@lockstep/engine/ports'
import Type from 'typebox'
import { requireKept } from '../auth/access.ts'
import { UserExists, UserNotFound } from '../auth/errors.ts'
import { requireGrantable, requireOver } from '../auth/grant.ts'
import { boundTenant, type Principal } from '../auth/principal.ts'
import { roles } from '../auth/roles.ts'
import { fromCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, flag, instant, noContent, oneOf } from '../wire/schema.ts'
import { TenantName } from '../wire/tenant.ts'

const PATH = '/users'
const NAME = '^[a-z0-9][a-z0-9._@-]{0,63}$'
const isName = new RegExp(NAME)
const UserName = Type.String({ pattern: NAME, description: 'Lower case; unique in the whole store.' })
const Password = Type.String({ minLength: 12, maxLength: 1_024, description: 'Twelve characters or more.' })

export const User = Type.Object({
  name: Type.String(),
  tenant: Type.String(),
  role: oneOf(roles),
  disabled: Type.Boolean(),
  createdAt: instant(),
  lastSignInAt: instant(),
})

const toWire = ({ name, tenant, role, disabled, createdAt, lastSignInAt }: UserRecord) => ({
  ...{ name, tenant, role, disabled },
  createdAt: iso(createdAt),
  lastSignInAt: iso(lastSignInAt),
})

/** Of the caller's reach, and with no more rights than the caller. A name that nobody can have is one that nobody has. */
export async function userUnder(caller: Principal, users: UserStore, name: string): Promise<UserRecord> {
  const bound = boundTenant(caller)
  const user = isName.test(name) ? await users.find(name) : undefined
  if (user === undefined || (bound !== undefined && user.tenant !== bound))
    throw new UserNotFound({ name: name.slice(0, 64) })
  requireOver(caller, user)
  return user
}

export const createUser = route({
  method: 'POST',
  path: PATH,
  name: 'createUser',
  permission: 'users:manage',
  secret: true,
  summary: 'Makes a local user who can sign in with a password.',
  body: closed({ name: UserName, password: Password, role: oneOf(roles), tenant: TenantName }),
  replies: { 201: User },
  problems: ['FORBIDDEN', 'USER_EXISTS'],
  async handle({ access, root }, { body, principal, note }) {
    note.target = body.name
    const { store, passwords } = requireKept(access, PATH)
    const tenant = requireGrantable(principal, body)
    const passwordHash = await passwords.hash(body.password)
    const user = await store.users.add({ name: body.name, tenant, role: body.role, passwordHash })
    if (user === undefined) throw new UserExists({ name: body.name })
    return { status: 201, body: toWire(user), location: `${root}${PATH}/${user.name}` }
  },
})

export const listUsers = route({
  method: 'GET',
  path: PATH,
  name: 'listUsers',
  permission: 'users:manage',
  summary: 'Lists local users by name.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(User, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle({ access }, { principal, query: { limit = DEFAULT_ITEMS, cursor: text } }) {
    const { store } = requireKept(access, PATH)
    const cursor = fromCursor(text, '', isName)
    const rows = await store.users.list({ tenant: boundTenant(principal), after: cursor?.key, limit: limit + 1 })
    return { status: 200, body: toForwardList(rows, toWire, { cursor, limit, key: (row) => row.name }) }
  },
})

export const changeUser = route({
  method: 'PUT',
  path: `${PATH}/:id`,
  name: 'changeUser',
  permission: 'users:manage',
  secret: true,
  summary: 'Changes the role or the password of a user, or bars it. Its sessions end.',
  id: UserName,
  body: closed({
    role: Type.Optional(oneOf(roles)),
    password: Type.Optional(Password),
    disabled: Type.Optional(flag('true: cannot sign in.')),
  }),
  replies: { 200: User },
  problems: ['FORBIDDEN', 'USER_NOT_FOUND'],
  async handle({ access }, { params, body, principal }) {
    const { store, passwords } = requireKept(access, PATH)
    const before = await userUnder(principal, store.users, params.id)
    const { name } = before
    if (body.role !== undefined) requireGrantable(principal, { role: body.role, tenant: before.tenant })
    const user = await store.users.change(name, boundTenant(principal), {
      ...(body.role === undefined ? {} : { role: body.role }),
      ...(body.password === undefined ? {} : { passwordHash: await passwords.hash(body.password) }),
      ...(body.disabled === undefined ? {} : { disabled: body.disabled }),
    })
    if (user === undefined) throw new UserNotFound({ name })
    const told = ({ role, disabled }: UserRecord) => ({ role, disabled })
    const after = { ...told(user), ...(body.password !== undefined && { passwordChanged: true }) }
    return { status: 200, body: toWire(user), change: { before: told(before), after } }
  },
})

export const deleteUser = route({
  method: 'DELETE',
  path: `${PATH}/:id`,
  name: 'deleteUser',
  permission: 'users:manage',
  summary: 'Takes a user away, with its sessions.',
  id: UserName,
  replies: { 204: noContent },
  problems: ['FORBIDDEN', 'USER_NOT_FOUND'],
  async handle({ access }, { params, principal }) {
    const { store } = requireKept(access, PATH)
    const { name } = await userUnder(principal, store.users, params.id)
    if (!(await store.users.remove(name, boundTenant(principal)))) throw new UserNotFound({ name })
    return { status: 204, body: undefined }
  },
})
