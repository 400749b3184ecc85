import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { query } from './aged-engine.ts'

const quick = workflow('quick', async () => 1)
const asks = workflow('asks', async (ctx) => ctx.waitFor('approved'))
const naps = workflow('naps', async (ctx) => ctx.sleep('1h'))

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine({ workflows: [quick, asks, naps] })
})
afterAll(() => test?.[Symbol.asyncDispose]())
beforeEach(async () => {
  expect(await test.engine.doctor({ repair: true })).toBeDefined()
  expect(await test.engine.doctor()).toMatchObject({ healthy: true })
})

const start = async (definitionId: string): Promise<string> => {
  const { instanceId } = await test.engine.start({ definitionId })
  await test.rests(instanceId, definitionId === 'quick' ? 'completed' : 'suspended')
  return instanceId
}

const DEAD = '00000000-0000-7000-8000-00000000dead'
const agenda = (id: string, claimedBy = 'null'): string =>
  `insert into agenda (instance_id, tenant, queue, due_at, claimed_by, claim_no) values ('${id}', 'default', 'nobody', now(), ${claimedBy}, 5)`

const cases: [code: string, definition: string, breaking: (id: string) => string, healed: (id: string) => string][] = [
  [
    'STRANDED',
    'asks',
    (id) => `delete from bookmark where instance_id = '${id}'`,
    (id) =>
      `select 1 from agenda where instance_id = '${id}' union select 1 from bookmark where instance_id = '${id}' limit 1`,
  ],
  [
    'AGENDA_OF_FINISHED',
    'quick',
    (id) => agenda(id),
    (id) => `select 1 where not exists (select from agenda where instance_id = '${id}')`,
  ],
  [
    'AGENDA_WITHOUT_INSTANCE',
    'quick',
    () => agenda(DEAD),
    () => `select 1 where not exists (select from agenda where instance_id = '${DEAD}')`,
  ],
  [
    'CLAIM_OF_DEAD_NODE',
    'naps',
    (id) => `update agenda set claimed_by = '${DEAD}' where instance_id = '${id}'`,
    (id) => `select 1 from agenda where instance_id = '${id}' and claimed_by is null`,
  ],
  [
    'BOOKMARK_OF_FINISHED',
    'quick',
    (id) =>
      `insert into bookmark (id, tenant, instance_id, step, kind, name, hash, created_at) values (gen_random_uuid(), 'default', '${id}', 's', 'signal', 'n', 'h', now())`,
    (id) => `select 1 where not exists (select from bookmark where instance_id = '${id}')`,
  ],
  [
    'BOOKMARK_WITHOUT_INSTANCE',
    'quick',
    () =>
      `insert into bookmark (id, tenant, instance_id, step, kind, name, hash, created_at) values (gen_random_uuid(), 'default', '${DEAD}', 's', 'signal', 'n', 'h', now())`,
    () => `select 1 where not exists (select from bookmark where instance_id = '${DEAD}')`,
  ],
  [
    'INBOX_OF_FINISHED',
    'quick',
    (id) => `insert into inbox (instance_id, tenant, kind) values ('${id}', 'default', 'edit')`,
    (id) => `select 1 where not exists (select from inbox where instance_id = '${id}')`,
  ],
  [
    'INBOX_WITHOUT_INSTANCE',
    'quick',
    () => `insert into inbox (instance_id, tenant, kind) values ('${DEAD}', 'default', 'edit')`,
    () => `select 1 where not exists (select from inbox where instance_id = '${DEAD}')`,
  ],
  [
    'SCHEDULE_ASLEEP',
    'quick',
    () =>
      `insert into schedule (id, tenant, document, definition_id, paused, due_at) values ('nightly', 'default', '{"trigger":{"cron":"0 0 * * *"}}', 'quick', false, now() + interval '1 day')`,
    () => `select 1 from schedule where id = 'nightly' and wake_at = due_at`,
  ],
]

it.each(cases)('finds and mends %s', async (code, definition, breaking, healed) => {
  const id = await start(definition)
  await test.db.script(breaking(id))
  const found = await test.engine.doctor()
  expect(found.findings).toMatchObject([{ code, count: 1, safeToRepair: true, repaired: 0 }])
  expect(found.findings[0]!.examples).toHaveLength(1)
  expect(await test.engine.doctor({ repair: true })).toMatchObject({ findings: [{ code, repaired: 1 }] })
  expect(await query(test.db, healed(id))).toHaveLength(1)
  await test.rests(id, definition === 'quick' ? 'completed' : 'suspended')
  if (code !== 'STRANDED') return
  await expect.poll(() => test.engine.resume({ instanceId: id })).toBe('resumed')
  await test.rests(id, 'completed')
})

it('tells an instance of a message that it had not heard of', async () => {
  const id = await start('asks')
  await test.db.script(
    `insert into inbox (instance_id, tenant, kind, payload) values ('${id}', 'default', 'cancel', '{}')`,
  )
  expect(await test.engine.doctor({ repair: true })).toMatchObject({
    findings: [{ code: 'MESSAGE_NOT_COUNTED', repaired: 1 }],
  })
  await test.rests(id, 'cancelled')
})

it('finds what is missing from a journal, and leaves it to a person', async () => {
  const [middle, end, all] = [await start('naps'), await start('quick'), await start('quick')]
  await test.db.script(`
    delete from journal where instance_id = '${middle}' and seq = 1;
    delete from journal where instance_id = '${end}' and seq = (select last_seq from instance where id = '${end}');
    delete from journal where instance_id = '${all}'`)
  const { findings } = await test.engine.doctor({ repair: true })
  expect(findings).toMatchObject([{ code: 'JOURNAL_GAP', count: 3, safeToRepair: false, repaired: 0 }])
  expect(findings[0]!.examples.map((each) => each.instanceId).sort()).toEqual([middle, end, all].sort())
  await test.db.script(
    `delete from instance where id in ('${middle}', '${end}', '${all}'); delete from agenda where instance_id = '${middle}'; delete from journal where instance_id in ('${middle}', '${end}')`,
  )
})

it('names a schedule that will never fire, but none that has fired its last', async () => {
  await test.db.script(`
    insert into schedule (id, tenant, document, definition_id, paused, after_jobs) values
      ('lost', 'default', '{"trigger":{"cron":"0 0 * * *"}}', 'quick', false, null),
      ('over', 'default', '{"trigger":{"at":"2020-01-01T00:00:00Z"}}', 'quick', false, null),
      ('ended', 'default', '{"trigger":{"interval":"1h"},"endAt":1}', 'quick', false, null),
      ('rests', 'default', '{"trigger":{"interval":"1h"}}', 'quick', true, null),
      ('after', 'default', '{"trigger":{"interval":"1h"}}', 'quick', false, '{lost}')`)
  const { findings } = await test.engine.doctor()
  expect(findings).toMatchObject([
    { code: 'SCHEDULE_WITHOUT_NEXT', count: 1, examples: [{ key: 'lost' }], safeToRepair: false },
  ])
  await test.db.script('delete from schedule')
})

it('does not take the agenda row of an ended instance from a node that lives', async () => {
  const id = await start('quick')
  await test.db.script(agenda(id, `'${test.engine.nodeId}'`))
  expect(await test.engine.doctor({ repair: true })).toMatchObject({
    findings: [{ code: 'AGENDA_OF_FINISHED', count: 1, repaired: 0 }],
  })
  await test.db.script(`delete from agenda where instance_id = '${id}'`)
})

it('looks at no more than it may, and goes on from there', async () => {
  await test.db.script(
    `insert into inbox (instance_id, tenant, kind) select '${DEAD}', 'default', 'edit' from generate_series(1, 700)`,
  )
  const first = await test.engine.doctor({ lookAt: 600 })
  expect(first.areas.inbox).toMatchObject({ looked: 600, next: expect.any(String) })
  expect(first.findings).toMatchObject([{ code: 'INBOX_WITHOUT_INSTANCE', count: 600 }])
  expect(first.findings[0]!.examples).toHaveLength(20)
  const second = await test.engine.doctor({ lookAt: 600, after: { inbox: first.areas.inbox.next! } })
  expect(second.areas.inbox).toEqual({ looked: 100, next: undefined })
  await test.db.script(`delete from inbox where instance_id = '${DEAD}'`)
})
