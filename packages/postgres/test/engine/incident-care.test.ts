import { checkpoint, SUSPENDED, TENANT } from '@lockstep/testing/contracts'
import { expect, it } from 'vitest'
import { tend } from '../../src/engine/incident.sql.ts'
import { interleavingBench } from './interleaving-bench.ts'

const h = interleavingBench()
const failure = (fingerprint: string) => ({ id: h.b.newId(), step: 'a', fingerprint, code: 'BROKEN', message: 'no' })

it('finds a group by its fingerprint, however many incidents of others came after it', async () => {
  const id = await h.b.started(h.node)
  await h.node.checkpoint(checkpoint(id, { incidents: [failure('f')], then: SUSPENDED }))
  await h.database.db.script(`
    insert into incident (id, tenant, instance_id, fingerprint, code, message, opened_at)
    select ('fffffff0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${TENANT}', '${id}', 'storm', 'BROKEN', 'no', clock_timestamp()
      from generate_series(1, 20000) n`)
  expect(await h.store.incidents.groups(TENANT, { fingerprint: 'f' }, 1)).toMatchObject([{ open: 1, instances: 1 }])
  expect(await h.store.incidents.groups(TENANT, { fingerprint: 'storm' }, 9)).toMatchObject([{ open: 20_000 }])
})

it('does not forget what is said of a group at the same moment', async () => {
  const id = await h.b.started(h.node)
  await h.node.checkpoint(checkpoint(id, { incidents: [failure('f')], then: SUSPENDED }))
  const said = { tenant: TENANT, by: 'ana', acknowledged: true, note: undefined }
  const speaker = await h.session()
  await speaker.query(
    `insert into incident_care (tenant, fingerprint, changed_at) values ($1, 'g', clock_timestamp() - interval '31 days')`,
    [TENANT],
  )
  await speaker.begin()
  await speaker.query(
    `insert into incident (id, tenant, instance_id, fingerprint, code, message, opened_at) values ($1, $2, $3, 'g', 'BROKEN', 'no', clock_timestamp())`,
    [h.b.newId(), TENANT, id],
  )
  expect(await speaker.query(tend.text, tend.bind({ ...said, fingerprint: 'g' }))).toHaveLength(1)
  const another = h.store.incidents.tend({ ...said, fingerprint: 'f' })
  await h.traffic.untilSomebodyWaitsFor(speaker)
  await speaker.commit()
  expect(await another).toBe(true)
  const [group] = await h.store.incidents.groups(TENANT, { fingerprint: 'g' }, 1)
  expect(group).toMatchObject({ acknowledgedBy: 'ana' })
})
