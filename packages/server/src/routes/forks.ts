import { fromWireId } from '@lockstep/base'
import { fromCursor, toCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { Instance, InstanceId, toWireInstance } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const forksOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/forks',
  name: 'listWorkflowInstanceForks',
  permission: 'instances:read',
  summary: 'Lists the instances that began as copies of this one, newest first. They stay when it is deleted.',
  id: InstanceId,
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Instance, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR', 'INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle({ browse, engine, tenant }, { params, query: { limit = DEFAULT_ITEMS, cursor } }) {
    const instanceId = fromWireId('instance', params.id)
    const from = fromCursor(cursor, instanceId, UUID)
    const rows = await browse.forks(tenant, instanceId, from?.key, limit + 1)
    // No copies, or nobody there: only then it is worth a look.
    if (rows.length === 0) await engine.get(instanceId, tenant)
    const shown = rows.slice(0, limit)
    const more = rows.length > limit
    const seen = (from?.seen ?? 0) + shown.length
    const next = more ? toCursor({ key: shown.at(-1)!.id, seen, back: false }, instanceId) : null
    return {
      status: 200,
      body: {
        items: shown.map((view) => toWireInstance({ view })),
        page: { next, prev: null, limit },
        count: { value: more ? seen + 1 : seen, exact: !more },
      },
    }
  },
})
