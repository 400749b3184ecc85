import { fromWireId } from '@lockstep/base'
import Type from 'typebox'
import { requirePermission } from '../auth/require-permission.ts'
import { BookmarkNotFound } from '../problem/instance-errors.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { TokenWish, toWireToken, ttlOf, WireToken } from '../wire/issued-token.ts'

export const issueBookmarkToken = route({
  method: 'POST',
  path: '/workflow-instances/:id/bookmarks/:bookmarkId/token',
  name: 'issueBookmarkToken',
  permission: 'instances:resume',
  summary:
    'Makes a token with which anybody can give an instance this one thing that it waits for, once. It is shown now and never again.',
  id: InstanceId,
  params: { bookmarkId: Type.String({ minLength: 1, maxLength: 200, description: 'As waitingFor has it: bkm_…' }) },
  secret: true,
  body: TokenWish,
  bodyOptional: true,
  replies: { 201: WireToken },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'BOOKMARK_NOT_FOUND'],
  async handle(context, { params, headers, principal, body: { ttl } }) {
    const { engine, tenant } = context
    const bookmark = params.bookmarkId!
    const bookmarkId = fromWireId('bookmark', bookmark)
    const { view } = await engine.state(fromWireId('instance', params.id), { tenant, exact: true })
    // What outside workers do has leases of its own.
    const asked = view.waitingFor.find((wait) => wait.bookmarkId === bookmarkId && wait.kind !== 'task')
    if (asked?.kind === 'human') requirePermission(principal, 'tasks:decide') // whoever has the link decides
    const kept = ttlOf(ttl)
    const issued = asked ? await engine.resumeTokens.issue(bookmarkId, { tenant, ...kept }) : undefined
    if (issued === undefined) throw new BookmarkNotFound({ instanceId: params.id, bookmark })
    return { status: 201, body: toWireToken(context, headers.host as string | undefined, issued) }
  },
})
