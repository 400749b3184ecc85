import Type from 'typebox'
import { requireKept } from '../auth/access.ts'
import { Unauthenticated } from '../auth/errors.ts'
import type { Principal } from '../auth/principal.ts'
import { sessionHash } from '../auth/session-cookie.ts'
import { signIn } from '../auth/sign-in.ts'
import { route } from '../route/route.ts'
import { closed, noContent, nullable, oneOf } from '../wire/schema.ts'

type AnyHeaders = Readonly<Record<string, string | string[] | undefined>>

const Caller = Type.Object({
  kind: oneOf(['anonymous', 'key', 'user', 'token']),
  id: Type.String({ description: 'As the audit log names it.' }),
  name: Type.String(),
  tenant: Type.String(),
  role: nullable('string', { description: 'viewer, operator, designer or admin.' }),
  permissions: Type.Array(Type.String()),
  auth: oneOf(['none', 'keys', 'oidc'], 'What this server asks of callers.'),
})

const toWire = (principal: Principal, auth: string) => ({
  ...{ kind: principal.kind, id: principal.id, name: principal.name, tenant: principal.tenant, auth },
  role: principal.role ?? null,
  permissions: [...principal.permissions],
})

const cookiesIn = ({ cookie }: AnyHeaders): string | undefined => (typeof cookie === 'string' ? cookie : undefined)

export const getSession = route({
  method: 'GET',
  path: '/session',
  name: 'getSession',
  permission: 'signed-in',
  summary: 'Says who the caller is, and what it may do.',
  replies: { 200: Caller },
  problems: [],
  async handle({ access }, { principal }) {
    return { status: 200, body: toWire(principal, access.auth) }
  },
})

export const openSession = route({
  method: 'POST',
  path: '/session',
  name: 'openSession',
  permission: 'public',
  secret: true,
  summary: 'Signs a local user in: a cookie for the browser. Every way of failing is answered alike.',
  body: closed({
    name: Type.String({ minLength: 1, maxLength: 64 }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
  }),
  replies: { 200: Caller },
  problems: ['SIGN_IN_FAILED', 'RATE_LIMITED'],
  async handle({ access }, { body, address, headers, note }) {
    note.target = body.name
    const kept = requireKept(access, '/session')
    const { principal, cookies } = await signIn(kept, { ...body, address, cookies: cookiesIn(headers) })
    note.by = principal
    return { status: 200, body: toWire(principal, access.auth), headers: { 'set-cookie': cookies } }
  },
})

export const closeSession = route({
  method: 'DELETE',
  path: '/session',
  name: 'closeSession',
  permission: 'signed-in',
  summary: 'Signs the caller out: its session ends on every node.',
  replies: { 204: noContent },
  problems: [],
  async handle({ access }, { headers }) {
    const { cookie, store, secret } = requireKept(access, '/session')
    const token = cookie.read(cookiesIn(headers))
    if (token === undefined && access.auth !== 'none') throw new Unauthenticated({})
    if (token !== undefined) {
      const hash = sessionHash(token, secret)
      await Promise.all([store.sessions.end(hash), store.issuedSessions.end(hash)])
    }
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie.clear() } }
  },
})
