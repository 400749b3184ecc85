import Type from 'typebox'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { listOf, toWholeList, WHOLE } from '../wire/list.ts'
import { instant } from '../wire/schema.ts'

const Queue = Type.Object({
  name: Type.String(),
  due: Type.Integer({ description: 'Instances that could go on and that no node has in hand. Counts stop at 10,000.' }),
  oldestDueAt: instant('Since when the first of them could have; null: none is due.'),
  later: Type.Integer({ description: 'Instances that have something to do later: timers, retries.' }),
  nextDueAt: instant('When the first of those is due.'),
})

export const listQueues = route({
  method: 'GET',
  path: '/queues',
  name: 'listQueues',
  permission: 'flow:read',
  reach: 'cluster',
  summary: 'What waits for a worker, by queue, and since when.',
  replies: { 200: listOf(Queue, WHOLE) },
  problems: [],
  async handle({ browse }) {
    const items = (await browse.queues()).map(({ name, due, oldestDueAt, later, nextDueAt }) => ({
      ...{ name, due, later },
      oldestDueAt: iso(oldestDueAt),
      nextDueAt: iso(nextDueAt),
    }))
    return { status: 200, body: toWholeList(items) }
  },
})
