import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { query } from './aged-engine.ts'

const both = {
  id: 'both',
  activities: [
    { id: 'work', type: 'run-task', inputs: { task: 'print', payload: { page: 1 } } },
    { id: 'ask', type: 'human-task', inputs: { title: 'Approve?', outcomes: ['approve'] } },
    { id: 'hear', type: 'wait-for-event', inputs: { event: 'heard' } },
  ],
}

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine()
  await test.publish(both as never)
})
afterAll(() => test?.[Symbol.asyncDispose]())
afterEach(async () => {
  expect(await test.engine.doctor()).toMatchObject({ healthy: true })
})

const claim = () => test.engine.tasks.claim({ tasks: ['print'], waitMs: 10_000 })

/** Waits for a worker, for a person and for an event. */
async function waits() {
  const { instanceId } = await test.engine.start({ definitionId: 'both' })
  await test.rests(instanceId, 'suspended')
  const rows = await query<{ id: string; kind: string }>(
    test.db,
    `select id::text, kind from bookmark where instance_id = '${instanceId}'`,
  )
  const of = (kind: string) => rows.find((row) => row.kind === kind)!.id
  return { instanceId, work: of('task'), ask: of('human') }
}

/** Whatever was lost, it can be done now, and the instance ends as if nothing had been. */
async function goesOn({ instanceId, work, ask }: Awaited<ReturnType<typeof waits>>): Promise<void> {
  await expect.poll(() => test.engine.tasks.get(work).then((task) => task?.status)).toMatch(/open|claimed/)
  await expect.poll(() => test.engine.humanTasks.get(ask).then((task) => task?.status)).toBe('open')
  const [task] = await claim()
  expect(task).toMatchObject({ id: work, payload: { page: 1 } })
  expect(await test.engine.tasks.complete(task!)).toMatchObject({ outcome: 'done' })
  expect(await test.engine.humanTasks.complete({ id: ask })).toMatchObject({ outcome: 'done' })
  expect(await test.engine.resume({ instanceId, bookmark: 'heard' })).toBe('resumed')
  const ended = await test.engine.waitForEnd(instanceId, { limitMs: 60_000 })
  expect(ended).toMatchObject({ status: 'completed' })
  expect(await test.engine.tasks.complete(task!)).toMatchObject({ outcome: 'already-completed' })
}

const lost = (...keys: string[]) => ({
  ...{ code: 'TASK_LOST', count: keys.length, safeToRepair: true },
  examples: expect.arrayContaining(keys.map((key) => expect.objectContaining({ key }))),
})

describe('a task whose row is gone beside its bookmark', () => {
  it('is found, and comes back under the id that it had: for workers and for people', async () => {
    const at = await waits()
    await test.db.script(`delete from task where id = '${at.work}'; delete from human_task where id = '${at.ask}'`)
    expect((await test.engine.doctor()).findings).toMatchObject([{ ...lost(at.work, at.ask), repaired: 0 }])
    expect(await test.engine.tasks.get(at.work)).toBeUndefined()
    expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([
      { ...lost(at.work, at.ask), repaired: 2 },
    ])
    await goesOn(at)
  })

  it('comes back to one that was paused when it goes on', async () => {
    const at = await waits()
    await test.engine.verbs.pause(at.instanceId)
    await test.rests(at.instanceId, 'paused')
    await test.db.script(`delete from task where id = '${at.work}'; delete from human_task where id = '${at.ask}'`)
    expect((await test.engine.doctor()).findings).toEqual([])
    await test.engine.verbs.continue(at.instanceId)
    await test.rests(at.instanceId, 'suspended')
    await test.engine.doctor({ repair: true })
    await goesOn(at)
  })

  it('is not missed while its owner is about to make it', async () => {
    const at = await waits()
    await test.db.script(`
      delete from task where id = '${at.work}';
      insert into agenda (instance_id, tenant, queue, due_at, claimed_by, claim_no)
      values ('${at.instanceId}', 'default', 'nobody', now(), '${test.engine.nodeId}', 99)`)
    expect((await test.engine.doctor()).findings).toEqual([])
    await test.db.script(`update bookmark set created_at = now() - interval '2 minutes' where id = '${at.work}'`)
    expect((await test.engine.doctor()).findings).toMatchObject([lost(at.work)])
    await test.db.script(`delete from agenda where instance_id = '${at.instanceId}' and claim_no = 99`)
    await test.engine.doctor({ repair: true })
    await goesOn(at)
  })
})

describe('a task that is gone together with its bookmark', () => {
  it('comes back with it', async () => {
    const at = await waits()
    await test.db.script(`
      delete from bookmark where id in ('${at.work}', '${at.ask}');
      delete from task where id = '${at.work}'; delete from human_task where id = '${at.ask}'`)
    expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([{ code: 'BOOKMARK_LOST' }])
    await goesOn(at)
  })

  it('comes back though somebody was told meanwhile that nobody waits for it', async () => {
    const at = await waits()
    await test.db.script(`delete from bookmark where id in ('${at.work}', '${at.ask}')`)
    expect(await test.engine.tasks.claim({ tasks: ['print'] })).toEqual([])
    await test.db.script(`select lockstep_end_human_task('default', '${at.ask}', 'approve', null, '{}', null)`)
    expect(await test.engine.humanTasks.get(at.ask)).toMatchObject({ status: 'cancelled' })
    expect((await test.engine.doctor({ repair: true })).findings).toMatchObject([{ code: 'BOOKMARK_LOST' }])
    await goesOn(at)
  })
})
