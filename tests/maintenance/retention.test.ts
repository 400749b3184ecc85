import { PassThrough, Writable } from 'node:stream'
import { deferred, InvalidDuration, InvalidOption } from '@lockstep/base'
import { archiveToStream, type RetentionOptions } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { type AgedEngine, DAY_MS, openAgedEngine, query } from './aged-engine.ts'

const NOW: RetentionOptions = { keep: { completed: 0 }, share: 1 }

async function instancesOf({ db }: AgedEngine): Promise<string[]> {
  return (await query<{ id: string }>(db, 'select id from instance order by id')).map((row) => row.id)
}

describe('what is deleted', () => {
  it('keeps completed instances 30 days, and faulted ones 90: they go with their incidents, open or not', async () => {
    await using test = await openAgedEngine()
    const old = await test.ended(31 * DAY_MS)
    const young = await test.ended(29 * DAY_MS)
    const faulted = await test.ended(95 * DAY_MS, { fails: true })
    const resolved = await test.ended(95 * DAY_MS, { fails: true })
    const held = await test.ended(95 * DAY_MS, { fails: true })
    const lately = await test.ended(85 * DAY_MS, { fails: true })
    await test.db.script(`update incident set resolved_at = now() where instance_id in ('${resolved}')`)
    await test.engine.retention.hold({ instanceId: held }, 'case 42')
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'done', instances: 3, incidents: 2 })
    expect(await instancesOf(test)).toEqual([young, held, lately].sort())
    await expect(test.engine.get(old)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' })
    const gone = `('${old}', '${faulted}', '${resolved}')`
    const left = await query<{ n: number }>(
      test.db,
      `select (select count(*) from journal where instance_id in ${gone})::int
            + (select count(*) from incident where instance_id in ${gone})::int as n`,
    )
    expect(left).toEqual([{ n: 0 }])
    expect((await test.engine.incidents.list({ state: 'open' })).incidents).toHaveLength(2)
    expect(await test.engine.doctor()).toMatchObject({ healthy: true })
  })

  it('ends where a journal is longer than a batch, with all of it gone', async () => {
    await using test = await openAgedEngine({ retention: { ...NOW, rowsPerBatch: 2 } })
    await test.ended(0)
    await test.ended(0)
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'done', instances: 2 })
    expect(await query(test.db, 'select instance_id from journal')).toEqual([])
    expect(await query(test.db, 'select instance_id from retention_watch')).toEqual([])
  })

  it('keeps faulted ones with an open incident for ever where a rule or an option says so', async () => {
    await using test = await openAgedEngine({ retention: { keep: { unresolved: 'forever' } } })
    const { retention, incidents } = test.engine
    const [open, resolved] = [await test.ended(95 * DAY_MS, { fails: true }), await test.ended(0, { fails: true })]
    await retention.keep({ definitionId: 'order', status: 'faulted' }, '1d')
    expect(await retention.sweep()).toMatchObject({ instances: 0 })
    await retention.keep({ status: 'faulted' }, 0)
    await retention.forget({ definitionId: 'order', status: 'faulted' })
    const [incident] = (await incidents.list({ instanceId: resolved })).incidents
    await incidents.resolve(incident!.id, { note: 'seen' })
    expect(await retention.sweep()).toMatchObject({ instances: 1, incidents: 1 })
    expect(await instancesOf(test)).toEqual([open])
    await retention.keep({ definitionId: 'order', status: 'unresolved' }, '90d')
    expect(await retention.sweep()).toMatchObject({ instances: 1, incidents: 1 })
  })

  it('follows rules that change while it runs, for one definition or for all', async () => {
    await using test = await openAgedEngine()
    const { retention } = test.engine
    const id = await test.ended(2 * DAY_MS)
    await retention.sweep()
    expect(await instancesOf(test)).toEqual([id])
    await retention.keep({ status: 'completed' }, '1d')
    await retention.keep({ definitionId: 'order', status: 'completed' }, 'forever')
    expect(await retention.sweep()).toMatchObject({ instances: 0 })
    await retention.forget({ definitionId: 'order', status: 'completed' })
    expect(await retention.sweep()).toMatchObject({ instances: 1 })
    expect(await retention.rules()).toMatchObject([{ subject: '*', aspect: 'completed', keepMs: DAY_MS }])
  })

  it('keeps what is held, with the reason, until it is released', async () => {
    await using test = await openAgedEngine()
    const { retention } = test.engine
    const [held, free] = [await test.ended(31 * DAY_MS), await test.ended(31 * DAY_MS)]
    await retention.hold({ instanceId: held }, 'case 42')
    expect(await retention.sweep()).toMatchObject({ instances: 1 })
    expect(await instancesOf(test)).toEqual([held])
    expect(free).not.toBe(held)
    expect(await retention.rules()).toMatchObject([{ subject: `instance:${held}`, aspect: 'hold', reason: 'case 42' }])
    await retention.release({ instanceId: held })
    expect(await retention.sweep()).toMatchObject({ instances: 1 })
  })

  it('finds an instance whose id lies before what it has walked, with the next walk', async () => {
    await using test = await openAgedEngine({ retention: NOW })
    const { retention } = test.engine
    await test.ended(0)
    await retention.sweep()
    const late = await test.ended(0)
    const early = '00000000-0000-7000-8000-000000000001'
    for (const [table, column] of [
      ['instance', 'id'],
      ['journal', 'instance_id'],
    ] as const)
      await test.db.script(`update ${table} set ${column} = '${early}' where ${column} = '${late}'`)
    expect(await retention.sweep()).toMatchObject({ instances: 0 })
    await test.db.script(`update maintenance_turn set walk_began_at = now() - interval '8 days'`)
    expect(await retention.sweep()).toMatchObject({ instances: 1 })
  })

  it('trims batches of nodes that are gone, resolved incidents, and nothing of those that live', async () => {
    await using test = await openAgedEngine()
    const id = await test.ended(0, { fails: true })
    const live = await query<{ n: number }>(test.db, 'select count(*)::int as n from flush')
    await test.db.script(`
      insert into flush (node_id, n, at) select gen_random_uuid(), n, now() - interval '2 hours' from generate_series(1, 3) n;
      insert into flush (node_id, n, at) values (gen_random_uuid(), 1, now());
      insert into incident (id, tenant, instance_id, fingerprint, code, message, opened_at, resolved_at)
      select gen_random_uuid(), 'default', '${id}', 'f', 'E', 'm', now(), now() - n * interval '20 days' from generate_series(1, 2) n`)
    expect(await test.engine.retention.sweep()).toMatchObject({ flushes: 3, incidents: 1, instances: 0 })
    expect(await query(test.db, 'select count(*)::int as n from flush')).toEqual([{ n: live[0]!.n + 1 }])
  })

  it('trims tasks that are over also where no new ones come', async () => {
    await using test = await openAgedEngine()
    await test.publish({
      id: 'asks',
      activities: [
        { id: 'work', type: 'run-task', inputs: { task: 'print' } },
        { id: 'ask', type: 'human-task', inputs: { title: 'Well?' } },
        { id: 'open', type: 'human-task', inputs: { title: 'Later?' } },
      ],
    } as never)
    const { instanceId } = await test.engine.start({ definitionId: 'asks' })
    const [task] = await test.engine.tasks.claim({ tasks: ['print'], waitMs: 10_000 })
    await test.engine.tasks.complete(task!)
    await test.rests(instanceId, 'suspended')
    const asked = await test.engine.humanTasks.list({ instanceId }, 10)
    await test.engine.humanTasks.complete({ id: asked.find(({ step }) => step === 'ask')!.id })
    await test.db.script(`
      update task set kept_until = now() - interval '1 hour'; update human_task set kept_until = now() - interval '1 hour'`)
    await test.engine.retention.sweep()
    expect(await query(test.db, 'select step from task union all select step from human_task')).toEqual([
      { step: 'open' },
    ])
  })

  it('refuses rules that make no sense', async () => {
    await using test = await openAgedEngine()
    const { retention } = test.engine
    expect(() => retention.keep({ status: 'completed' }, 'soon')).toThrow(InvalidDuration)
    expect(() => retention.keep({ status: 'running' as 'completed' }, '1d')).toThrow(InvalidOption)
    expect(() => retention.hold({ instanceId: 'order' }, 'x')).toThrow(InvalidOption)
    expect(() => retention.hold({ definitionId: '' }, 'x')).toThrow(InvalidOption)
    await expect(openAgedEngine({ retention: { share: 0 } })).rejects.toThrow(InvalidOption)
  })
})

describe('the archive', () => {
  it('gets the whole instance before it is deleted', async () => {
    const sink = new PassThrough()
    const text: string[] = []
    sink.on('data', (chunk) => text.push(String(chunk)))
    await using test = await openAgedEngine({ retention: { ...NOW, archive: archiveToStream(sink) } })
    const id = await test.ended(0)
    const journal = await test.engine.journal(id)
    expect(await test.engine.retention.sweep()).toMatchObject({ instances: 1 })
    const lines = text
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ type: 'instance', id, definitionId: 'order', output: 'done', status: 'completed' })
    expect(lines.slice(1, -1).map((line) => line.seq)).toEqual(journal.map((row) => row.seq))
    expect(lines.at(-1)).toEqual({ type: 'end', instanceId: id, facts: journal.length, incidents: 0 })
  })

  it('gets the incidents of an instance, open or not', async () => {
    const lines: { readonly type: string }[] = []
    const archive = async (given: AsyncIterable<string>): Promise<void> => {
      for await (const line of given) lines.push(JSON.parse(line))
    }
    await using test = await openAgedEngine({ retention: { keep: { faulted: 0 }, archive } })
    const id = await test.ended(0, { fails: true })
    const [incident] = (await test.engine.incidents.list({ instanceId: id })).incidents
    expect(await test.engine.retention.sweep()).toMatchObject({ instances: 1, incidents: 1 })
    expect(lines.filter(({ type }) => type === 'incident')).toEqual([
      { type: 'incident', ...JSON.parse(JSON.stringify(incident)) },
    ])
    expect(lines.at(-1)).toMatchObject({ type: 'end', instanceId: id, incidents: 1 })
  })

  it('deletes nothing of the batch when it throws, and hands it over again', async () => {
    let fails = true
    const seen: string[] = []
    const archive = async (lines: AsyncIterable<string>): Promise<void> => {
      for await (const line of lines) seen.push(line)
      if (fails) throw new Error('the disk is full')
    }
    await using test = await openAgedEngine({ retention: { ...NOW, archive } })
    const ids = [await test.ended(0), await test.ended(0)]
    expect(await test.engine.retention.sweep()).toMatchObject({
      ended: 'archive',
      error: 'the disk is full',
      instances: 0,
      rows: 0,
    })
    expect(await instancesOf(test)).toEqual(ids)
    const first = seen.splice(0)
    fails = false
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'done', instances: 2 })
    expect(seen).toEqual(first)
  })

  it('deletes nothing when it did not read to the end', async () => {
    const archive = async (lines: AsyncIterable<string>): Promise<void> => {
      for await (const _ of lines) break
    }
    await using test = await openAgedEngine({ retention: { ...NOW, archive } })
    const id = await test.ended(0)
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'archive', instances: 0 })
    expect(await instancesOf(test)).toEqual([id])
  })

  it('deletes nothing when its stream fails', async () => {
    const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error('cut off')) })
    await using test = await openAgedEngine({ retention: { ...NOW, archive: archiveToStream(sink) } })
    const id = await test.ended(0)
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'archive', error: 'cut off' })
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'archive' })
    expect(await instancesOf(test)).toEqual([id])
  })

  it('does not keep a node from stopping', async () => {
    const reached = deferred<void>()
    const archive = (): Promise<void> => {
      reached.resolve()
      return new Promise(() => {})
    }
    const test = await openAgedEngine({ retention: { ...NOW, archive } })
    const id = await test.ended(0)
    const sweeping = test.engine.retention.sweep()
    await reached.promise
    const rows = query(test.db, `select status from instance where id = '${id}'`)
    expect(await rows).toEqual([{ status: 'completed' }])
    await test[Symbol.asyncDispose]()
    expect(await sweeping).toMatchObject({ ended: 'stopped', instances: 0 })
  })
})

describe('between choosing and deleting', () => {
  /** Runs `meanwhile` when the archive has everything and nothing is deleted. */
  const meanwhile = (run: () => Promise<unknown>): RetentionOptions => ({
    ...NOW,
    archive: async (lines) => {
      for await (const _ of lines);
      await run()
    },
  })

  it('an instance that was sent back to work stays', async () => {
    let revive = async (): Promise<unknown> => undefined
    await using test = await openAgedEngine({ retention: meanwhile(() => revive()) })
    const [kept] = [await test.ended(0), await test.ended(0)]
    revive = () =>
      test.db.script(`update instance set finished_at = null, status = 'suspended' where id = '${kept}'`).then(() => {
        revive = async () => undefined
      })
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'done', instances: 1 })
    expect(await instancesOf(test)).toEqual([kept])
    expect(await query(test.db, `select count(*)::int as n from journal where instance_id = '${kept}'`)).toEqual([
      { n: 5 },
    ])
  })

  it('a hold is heeded', async () => {
    let hold = async (): Promise<unknown> => undefined
    await using test = await openAgedEngine({ retention: meanwhile(() => hold()) })
    const id = await test.ended(0)
    hold = () => test.engine.retention.hold({ definitionId: 'order' }, 'case 42')
    expect(await test.engine.retention.sweep()).toMatchObject({ instances: 0 })
    expect(await instancesOf(test)).toEqual([id])
  })

  it('a hold is not acknowledged while a deletion that has not seen it is under way', async () => {
    await using test = await openAgedEngine({ retention: NOW })
    const id = await test.ended(0)
    const order: string[] = []
    const node = test.engine.nodeId
    let holding: Promise<unknown> = Promise.resolve()
    await test.db.transaction(async (tx) => {
      await tx.script(`
        insert into maintenance_turn (duty, holder, expires_at) values ('retention', '${node}', now() + interval '1 minute');
        select * from lockstep_retention_remove('${node}', 60000, '{"completed":0}', '{${id}}', 1000)`)
      holding = test.engine.retention.hold({ instanceId: id }, 'case 42').then(() => order.push('held'))
      await until('the hold waits', async () => {
        const waiting = await query(
          test.db,
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%maintenance_turn%'`,
        )
        return waiting.length > 0 || order.length > 0
      })
      order.push('removed')
    })
    await holding
    expect(order).toEqual(['removed', 'held'])
  })

  it('another node that got the turn is left alone', async () => {
    let steal = async (): Promise<unknown> => undefined
    await using test = await openAgedEngine({ retention: meanwhile(() => steal()) })
    const id = await test.ended(0)
    steal = () =>
      test.db.script(`update maintenance_turn set holder = gen_random_uuid(), expires_at = now() + interval '1 minute'`)
    expect(await test.engine.retention.sweep()).toMatchObject({ ended: 'lost', instances: 0 })
    expect(await instancesOf(test)).toEqual([id])
    expect(await test.engine.retention.sweep()).toBeUndefined()
  })
})

it('a commit pays nothing for retention: no index holds what the end of an instance changes, and no trigger fires for it', async () => {
  await using test = await openAgedEngine()
  const columns = await query<{ name: string }>(
    test.db,
    `select distinct a.attname as name from pg_index x join pg_attribute a on a.attrelid = x.indrelid
      where x.indrelid = 'instance'::regclass
        and (a.attnum = any (x.indkey) or pg_get_expr(x.indpred, x.indrelid) ~ ('\\m' || a.attname || '\\M'))`,
  )
  expect(columns.map((row) => row.name)).not.toEqual(expect.arrayContaining(['finished_at']))
  for (const mutable of ['status', 'finished_at', 'last_seq', 'claim_no', 'snapshot', 'snapshot_seq', 'snapshot_at'])
    expect(columns.map((row) => row.name)).not.toContain(mutable)
  await test.db.script('analyze')
  await test.ended(0)
  const triggers = await query<{ name: string }>(
    test.db,
    // Of those that a commit can fire: 4 is an insert, 16 an update.
    `select tgname as name from pg_trigger where tgrelid = 'instance'::regclass and tgtype & 20 <> 0`,
  )
  // Both look at a column of the row first, and call nothing for instances that no schedule and no flow policy knows.
  expect(triggers.map((row) => row.name).sort()).toEqual(['instance_frees_flow', 'instance_tells_schedule'])
})

describe('one that is deleted by hand', () => {
  it('takes a journal of many thousand facts with it, what is too much for one transaction with the next sweep', async () => {
    await using test = await openAgedEngine()
    const { retention } = test.engine
    const [long, other] = [await test.ended(0), await test.ended(0)]
    await query(
      test.db,
      `insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
       select instance_id, n, claim_no, pos, at, node_id, tenant, kind, data from journal, generate_series(1000, 45000) n
        where instance_id = '${long}' and seq = 1`,
    )
    await test.db.script(`update instance set last_seq = 45000 where id = '${long}'`)
    const factsOf = async (id: string): Promise<number> =>
      (await query<{ n: number }>(test.db, `select count(*)::int as n from journal where instance_id = '${id}'`))[0]!.n
    const kept = await factsOf(other)
    expect(await retention.delete(long)).toMatchObject({ kind: 'deleted', facts: 45_000 })
    await expect(test.engine.get(long)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' })
    expect(await factsOf(long)).toBeGreaterThan(44_000) // nobody finds them, and nobody waits for them
    expect(await retention.delete(long)).toEqual({ kind: 'not-found' })
    expect(await retention.sweep()).toMatchObject({ ended: 'done', instances: 0 })
    expect([await factsOf(long), await factsOf(other)]).toEqual([0, kept])
    expect(await query(test.db, 'select instance_id from retention_watch where purging')).toEqual([])
    expect(await test.engine.doctor()).toMatchObject({ healthy: true })
  })
})
