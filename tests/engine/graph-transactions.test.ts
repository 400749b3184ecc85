import type { JsonObject } from '@lockstep/base'
import type { TransactionalActivity } from '@lockstep/engine'
import { statement } from '@lockstep/postgres'
import { describe, expect, it } from 'vitest'
import { openEmbeddedEngine, openTestEngine, type TestEngine } from './open-test-engine.ts'

const activity = (type: string, run: TransactionalActivity['run']): TransactionalActivity => ({
  type,
  kind: 'action',
  title: 'Book',
  description: 'Writes to a table of the user.',
  inputs: { type: 'object' },
  outcomes: 'any',
  runs: 'transaction',
  run,
})
const done = (output: string | number) => ({ kind: 'completed', outcome: 'done', output }) as const

/** Writes a row, then does what its inputs say. */
const book = activity('book', async ({ then, sql }, { tx, step, attempt, instanceId }) => {
  await tx.query('insert into booking (instance_id, step, attempt) values ($1, $2, $3)', [instanceId, step, attempt])
  if (typeof sql === 'string') await tx.query(sql)
  if (then === 'throw' || (then === 'throw once' && attempt === 1)) throw Object.assign(new Error('no'), { code: 'NO' })
  const [row] = await tx.query<{ count: number }>('select count(*)::int as count from booking where instance_id = $1', [
    instanceId,
  ])
  return done(row!.count)
})

const table = 'create table public.booking (instance_id uuid, step text, attempt int, unique (instance_id, step))'
const rows = statement<readonly [], { step: string; attempt: number }>(
  'test_bookings',
  () => [],
  'select step, attempt from public.booking order by step',
)
const result = (name: string, $expr: string) => ({ id: name, type: 'set-output', inputs: { name, value: { $expr } } })
const pays = (inputs: JsonObject, more: JsonObject = {}) => ({
  id: 'pays',
  activities: [
    { id: 'pay', type: 'book', effect: 'transactional', onError: 'outcome', inputs, ...more },
    result('count', 'steps.pay.output'),
    result('code', 'steps.pay.error.code'),
  ],
  connections: [
    { from: 'pay', to: 'count' },
    { from: 'pay', outcome: 'failed', to: 'code' },
  ],
})

async function openBooking(open: typeof openTestEngine, more: readonly TransactionalActivity[] = []) {
  const t: TestEngine = await open({ activities: [book, ...more] })
  await t.db.script(table)
  return Object.assign(t, { rows: () => t.db.many(rows, []) })
}

describe.each([
  ['PostgreSQL', openTestEngine],
  ['the embedded store', openEmbeddedEngine],
])('transactional activities of graphs on %s', (_, open) => {
  it('commit their rows with the step, and roll them back with its failure', async () => {
    await using t = await openBooking(open)
    await t.publish(pays({ then: { $expr: 'input.then' } }))
    expect(await t.run('pays', { then: 'return' })).toMatchObject({ status: 'completed', output: { count: 1 } })
    expect(await t.run('pays', { then: 'throw' })).toMatchObject({ status: 'completed', output: { code: 'NO' } })
    expect(await t.rows()).toEqual([{ step: 'pay', attempt: 1 }])
  })

  it('are tried again from nothing', async () => {
    await using t = await openBooking(open)
    await t.publish(pays({ then: 'throw once' }, { retry: { attempts: 2, backoff: { initial: '5ms' } } }))
    const { output, instanceId } = await t.run('pays')
    expect([output, await t.rows()]).toEqual([{ count: 1 }, [{ step: 'pay', attempt: 2 }]])
    expect((await t.engine.journal(instanceId)).map(({ kind }) => kind)).toEqual([
      'started',
      'retrying',
      'completed',
      'completed',
      'ended',
    ])
  })

  it('fail with what the database says of their statements, also at the commit', async () => {
    await using t = await openBooking(open)
    await t.db.script(`alter table public.booking add constraint late unique (attempt) deferrable initially deferred`)
    await t.publish(pays({ sql: { $expr: 'input.sql' } }))
    expect(await t.run('pays', { sql: 'select 1 / 0' })).toMatchObject({ output: { code: 'DATABASE_REFUSED' } })
    expect(await t.run('pays', { sql: 'insert into booking (attempt) values (1)' })).toMatchObject({
      output: { code: 'DATABASE_REFUSED' },
    })
    expect(await t.rows()).toEqual([])
  })

  it('run one after the other in parallel branches, and none is lost', async () => {
    await using t = await openBooking(open)
    const items = Array.from({ length: 20 }, (__, n) => n)
    const body = {
      activities: [
        { id: 'pay', type: 'book' },
        { id: 'nap', type: 'delay', inputs: { duration: '5ms' } },
      ],
      connections: [{ from: 'pay', to: 'nap' }],
    }
    await t.publish({
      id: 'many',
      activities: [{ id: 'each', type: 'for-each', inputs: { items, concurrency: 20 }, body }],
    })
    expect(await t.run('many')).toMatchObject({ status: 'completed' })
    expect(await t.rows()).toHaveLength(20)
  })

  it('can start a workflow that exists when they commit, and does not when they fail', async () => {
    const begin = activity('begin', async ({ fail }, { tx }) => {
      const { instanceId } = await t.engine.start({ definitionId: 'pays', input: { then: 'return' }, tx })
      if (fail) throw new Error('rolled back')
      return done(instanceId)
    })
    await using t = await openBooking(open, [begin])
    await t.publish(pays({ then: { $expr: 'input.then' } }))
    await t.publish({
      id: 'parent',
      activities: [
        { id: 'begin', type: 'begin', inputs: { fail: { $expr: 'input.fail' } } },
        result('id', 'steps.begin.output'),
      ],
      connections: [{ from: 'begin', to: 'id' }],
    })
    // From here on the engine knows the definition: it asks nothing outside of the transaction, which the embedded store could not answer.
    await t.run('pays', { then: 'throw' })
    expect(await t.run('parent', { fail: true })).toMatchObject({ status: 'faulted' })
    const { output } = await t.run('parent', { fail: false })
    const { id } = output as { id: string }
    expect(await t.engine.waitForEnd(id, { limitMs: 60_000 })).toMatchObject({ output: { count: 1 } })
    expect(await t.engine.list({ definitionId: 'pays' }, 10)).toHaveLength(2)
  })
})

describe('transactional activities of graphs', () => {
  it('commit nothing when their time is over inside a statement', async () => {
    await using t = await openBooking(openTestEngine)
    await t.publish(pays({ sql: 'select pg_sleep(0.4)' }, { timeout: '50ms' }))
    expect(await t.run('pays')).toMatchObject({ output: { code: 'TIMED_OUT' } })
    expect(await t.rows()).toEqual([])
  })

  it('run again when the server undid them for the sake of another transaction', async () => {
    let runs = 0
    const clash = activity('clash', async (__, { tx }) => {
      runs += 1
      if (runs < 3) await tx.query(`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`)
      await tx.query('insert into booking (step, attempt) values ($1, $2)', ['clash', runs])
      return done(runs)
    })
    await using t = await openBooking(openTestEngine, [clash])
    await t.publish({
      id: 'clashes',
      activities: [{ id: 'clash', type: 'clash' }, result('runs', 'steps.clash.output')],
      connections: [{ from: 'clash', to: 'runs' }],
    })
    const { output, instanceId } = await t.run('clashes')
    expect([output, await t.rows()]).toEqual([{ runs: 3 }, [{ step: 'clash', attempt: 3 }]])
    expect((await t.engine.journal(instanceId)).filter(({ kind }) => kind === 'retrying')).toEqual([])
  })

  it('are refused in a document that asks for them where the code has none', async () => {
    await using t = await openBooking(openTestEngine)
    const document = {
      id: 'plain',
      activities: [{ id: 'say', type: 'log', effect: 'transactional', inputs: { message: 'x' } }],
    }
    expect(t.engine.definitions.problems(document)).toMatchObject([
      {
        pointer: '/activities/0/effect',
        code: 'EFFECT_NOT_SUPPORTED',
        severity: 'error',
        text: expect.stringContaining('"say" (log)'),
      },
    ])
  })
})
