import { expect, it } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { openTestEngine } from './open-test-engine.ts'

const nap = {
  id: 'nap',
  name: 'Nap',
  activities: [{ id: 'wait', type: 'delay', inputs: { duration: '4s' } }],
  connections: [],
}

it('P7: a node that has written nothing yet fires an overdue timer when it takes it over, not one poll later', async () => {
  await using first = await openTestEngine()
  await first.publish(nap)
  const { instanceId } = await first.engine.start({ definitionId: 'nap' })
  const facts = 'select kind from journal where instance_id = $1'
  await expect.poll(async () => (await readRows(first.db, facts, [instanceId])).length).toBeGreaterThan(1)
  // The claim is free again, the timer is written down and comes due while nobody is there.
  await first.engine.close(0)
  const due = 'select 1 from agenda where instance_id = $1 and due_at < clock_timestamp()'
  await expect.poll(() => readRows(first.db, due, [instanceId])).toHaveLength(1)

  await using second = await first.beside({ name: 'second' })
  await expect.poll(async () => (await second.engine.get(instanceId)).status).toBe('completed')
  const claims = 'select distinct claim_no from journal where instance_id = $1 order by 1'
  // The second claim did it. One that found nothing due would have given it back for a third.
  expect(await readRows(first.db, claims, [instanceId])).toEqual([{ claim_no: 1 }, { claim_no: 2 }])
})
