import Type from 'typebox'
import { requireKept } from '../auth/access.ts'
import { requireOver } from '../auth/grant.ts'
import { boundTenant } from '../auth/principal.ts'
import { route } from '../route/route.ts'
import { closed } from '../wire/schema.ts'
import { userUnder } from './users.ts'

const PATH = '/sessions'
const LOCAL = 'user:'

export const endSessions = route({
  method: 'DELETE',
  path: PATH,
  name: 'endSessions',
  permission: 'users:manage',
  summary:
    'Signs somebody out everywhere: a local user, or somebody who came through the issuer. Repeating it is harmless.',
  query: closed({
    subject: Type.String({
      pattern: '^(user|token):[^\\u0000-\\u001f\\u007f]{1,1000}$',
      description: 'As the audit log names callers: user:ana, or token:, the issuer, # and its subject.',
    }),
  }),
  replies: { 200: Type.Object({ ended: Type.Integer({ description: 'Sessions that lived until now.' }) }) },
  problems: ['FORBIDDEN', 'USER_NOT_FOUND'],
  async handle({ access }, { query: { subject }, principal, note }) {
    note.target = subject
    const { store } = requireKept(access, PATH)
    const bound = boundTenant(principal)
    const isLocal = subject.startsWith(LOCAL)
    // The store does not say what they may do who came through the issuer: they may be administrators.
    if (!isLocal) requireOver(principal, { role: 'admin' })
    const user = isLocal ? await userUnder(principal, store.users, subject.slice(LOCAL.length)) : undefined
    const ended =
      user === undefined
        ? await store.issuedSessions.endAll(subject, bound)
        : await store.sessions.endAll(user.name, bound)
    return { status: 200, body: { ended } }
  },
})
