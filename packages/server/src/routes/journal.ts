import { fromWireId } from '@lockstep/base'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { JournalItem, toWireJournal } from '../wire/journal.ts'
import { DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed } from '../wire/schema.ts'

export const readJournal = route({
  method: 'GET',
  path: '/workflow-instances/:id/journal',
  name: 'readWorkflowJournal',
  summary: 'Lists the facts of an instance in order.',
  id: InstanceId,
  query: closed({
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Facts behind this number; page.next.' }),
    ),
    limit: Limit,
  }),
  replies: { 200: listOf(JournalItem, 'Pass it as after to read on; null at the end.') },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle({ engine, tenant }, { params, query: { after = 0, limit = DEFAULT_ITEMS } }) {
    const instanceId = fromWireId('instance', params.id)
    const rows = await engine.journal(instanceId, after, limit + 1, tenant)
    // Every instance has a first fact; an empty answer is the end of a journal, or of none.
    const last = rows.at(-1)?.seq ?? (await engine.get(instanceId, tenant)).revision
    const shown = rows.slice(0, limit)
    const more = rows.length > limit
    const page = { next: more ? String(shown.at(-1)!.seq) : null, prev: null, limit }
    return { status: 200, body: { items: shown.map(toWireJournal), page, count: { value: last, exact: !more } } }
  },
})
