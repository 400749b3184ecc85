import { fromWireId } from '@lockstep/base'
import type { JournalRow } from '@lockstep/engine'
import Type from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'
import { type ApiContext, route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { JournalItem, toWireJournal } from '../wire/journal.ts'
import { DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, oneOf } from '../wire/schema.ts'

const Seq = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: `${description} Not with the other one.` }),
  )

export const readJournal = route({
  method: 'GET',
  path: '/workflow-instances/:id/journal',
  name: 'readWorkflowJournal',
  permission: 'instances:read',
  summary: 'Lists the facts of an instance, oldest or newest first.',
  id: InstanceId,
  query: closed({
    after: Seq('Facts behind this number.'),
    before: Seq('Facts below this number: the nearest.'),
    order: Type.Optional(oneOf(['asc', 'desc'], 'asc, the oldest first, unless told.')),
    limit: Limit,
  }),
  replies: {
    200: listOf(JournalItem, {
      next: 'Pass it as after, or as before when the order is desc, to read on; null at the end.',
      prev: 'Pass it as before, or as after when the order is desc, to read back; null at the beginning.',
    }),
  },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle(context, { params, query: { after, before, order = 'asc', limit = DEFAULT_ITEMS } }) {
    if (after !== undefined && before !== undefined) {
      const text = '"after" and "before" cannot be used together: leave one out'
      throw new InvalidRequest({ errors: [{ in: 'query', field: 'before', text }] })
    }
    const instanceId = fromWireId('instance', params.id)
    // Without a bound the newest come first, where they are wanted first.
    const backward = before !== undefined || (order === 'desc' && after === undefined)
    const { rows, last } = backward
      ? await nearestBelow(context, instanceId, before, limit)
      : await nearestBehind(context, instanceId, after ?? 0, limit)
    const [low, high] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0]
    const newer = rows.length > 0 && high < last ? String(high) : null
    const older = low > 1 ? String(low) : null
    const items = rows.map(toWireJournal)
    return {
      status: 200,
      body: {
        items: order === 'asc' ? items : items.reverse(),
        page: order === 'asc' ? { next: newer, prev: older, limit } : { next: older, prev: newer, limit },
        count: { value: last, exact: backward || newer === null },
      },
    }
  },
})

interface Facts {
  readonly rows: readonly JournalRow[]
  /** The newest fact that is known of. */
  readonly last: number
}

async function nearestBehind({ engine, tenant }: ApiContext, id: string, after: number, limit: number): Promise<Facts> {
  const rows = await engine.journal(id, after, limit + 1, tenant)
  // Every instance has a first fact; an empty answer is the end of a journal, or of none.
  const last = rows.at(-1)?.seq ?? (await engine.get(id, tenant)).revision
  return { rows: rows.slice(0, limit), last }
}

/** Journals have no gaps: what stands below a fact is told by its number. */
async function nearestBelow(
  { engine, tenant }: ApiContext,
  id: string,
  before: number | undefined,
  limit: number,
): Promise<Facts> {
  const { revision } = await engine.get(id, tenant)
  const end = Math.min(before ?? revision + 1, revision + 1)
  const from = Math.max(0, end - 1 - limit)
  const rows = end > 1 ? await engine.journal(id, from, end - 1 - from, tenant) : []
  return { rows, last: revision }
}
