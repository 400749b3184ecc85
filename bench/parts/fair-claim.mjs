// What turns of tenants cost a claim: 1,000 tenants, 100,000 due starts, claimed 200 at a time until none is left; beside it the claim that takes
// the oldest of all, on an index for that, with the same statements around it. And how long a small tenant waits beside one with nine tenths.
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { migrate, openPostgres } from '@lockstep/postgres'
import { interleave } from '../measure/interleave.mjs'
import { startMeter } from '../measure/processor.mjs'
import { medians } from '../measure/statistics.mjs'

const QUEUE = 'bench/fair'
const BATCH = 200
const NODE = '01700000-0000-7000-8000-00000000000f'

/** By due time alone, whoever it belongs to. Everything else is as it is. */
const oldestFirst = `
  drop index lockstep.agenda_new;
  create index agenda_new on lockstep.agenda (queue, due_at) where claimed_by is null and claim_no = 0;
  create or replace function lockstep.lockstep_new_rows(p_queues text[], p_after text, p_from timestamptz, p_to timestamptz, p_limit integer, out places tid[], out ring text)
  language plpgsql as $$
  begin
    places := array(
      select t.place
        from unnest(p_queues) as q(queue)
       cross join lateral (
         select a.ctid as place, a.due_at from agenda a
          where a.queue = q.queue and a.claim_no = 0 and a.claimed_by is null and a.due_at >= p_from and a.due_at <= p_to
          order by a.due_at limit p_limit for update skip locked) t
       order by t.due_at limit p_limit);
    ring := '';
  end $$`

const ways = ['oldest first', 'tenants in turn']
/** As a node asks: it does not wait for the disk. */
const claim = `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
  select c.tenant, c.ring from relaxed cross join lateral lockstep_claim($1, $2, $3, 0, null, $4, $3) c`

/** Whose start the i-th is: all alike, or nine of ten by one tenant. */
const loads = {
  even: "'t' || i % $2::integer",
  'one with 90 %': "case when i % 10 = 0 then 't' || i / 10 % $2::integer else 'flood' end",
}

export async function run(bench) {
  const { tenants, dueStarts, rounds } = bench.settings
  const postgres = await bench.postgres()
  const competitors = new Map()
  for (const name of ways) {
    const url = await postgres.createDatabase(name.replaceAll(' ', '_'))
    const db = await openPostgres({ url, clock, random })
    await migrate(db, { mode: 'auto', clock, random })
    await db.close()
    const session = bench.keep(await postgres.connect(url))
    await session.query('set search_path to lockstep')
    if (name === 'oldest first') await session.query(oldestFirst)
    await session.query(`insert into node (id, name, version, state_format) values ('${NODE}', 'bench', '0', 2)`)
    competitors.set(name, session)
  }

  for (const [load, tenantOf] of Object.entries(loads)) {
    bench.say(`${rounds} rounds of ${dueStarts} due starts, ${tenants} tenants, ${load}`)
    const measured = await interleave(rounds, competitors, async (session, name, round) => {
      await seed(session, tenantOf, dueStarts, tenants)
      const meter = startMeter({ postgres: postgres.pids })
      const { seconds, calls, callsUntilAll } = await claimAll(session)
      const shares = meter.stop()
      const processorUs = (shares.postgresCores * shares.seconds * 1e6) / dueStarts
      const result = {
        perSecond: dueStarts / seconds,
        callMs: (seconds * 1_000) / calls,
        callsUntilAll,
        processorUs,
        ...shares,
      }
      bench.round(`${name}, ${load}`, { round, ...result })
      return result
    })
    const middle = new Map([...measured].map(([name, results]) => [name, medians(results)]))
    for (const [name, result] of middle) bench.load(`${name}, ${load}`, result)
    const [plain, fair] = [middle.get('oldest first'), middle.get('tenants in turn')]
    bench.figure({
      what: `claimed in turn, ${load}`,
      value: fair.perSecond,
      unit: 'starts/s',
      ratio: fair.perSecond / plain.perSecond,
      against: 'oldest first',
      target: { of: 'ratio', least: 0.75 },
    })
    bench.figure({
      what: `processor time of PostgreSQL per start claimed in turn, ${load}`,
      value: fair.processorUs,
      unit: 'µs',
      ratio: fair.processorUs / plain.processorUs,
      against: 'oldest first',
      target: { of: 'ratio', most: 1.33 },
    })
    bench.figure({
      what: `claims until every tenant had a turn, ${load}`,
      value: fair.callsUntilAll,
      unit: 'claims',
      ratio: fair.callsUntilAll / plain.callsUntilAll,
      against: 'oldest first',
    })
  }
}

/** The flood came first: whoever takes the oldest first serves it first. */
async function seed(session, tenantOf, count, tenants) {
  await session.query('truncate agenda')
  await session.query(
    `insert into agenda (instance_id, tenant, queue, due_at)
     select ('01700000-0000-7000-8f00-' || lpad(to_hex(i), 12, '0'))::uuid, x.tenant, '${QUEUE}',
            now() - interval '1 hour' + i * interval '1 microsecond' + case when x.tenant = 'flood' then interval '0' else interval '1 minute' end
       from generate_series(1, $1::integer) i cross join lateral (select ${tenantOf} as tenant, $2::integer) x`,
    [count, tenants],
  )
  await session.query('analyze agenda')
  await session.query('checkpoint')
}

async function claimAll(session) {
  const seen = new Set()
  let [after, calls, callsUntilAll, size] = ['', 0, 0, 0]
  const from = process.hrtime.bigint()
  for (;;) {
    const rows = await session.query({ name: 'claim', text: claim, values: [NODE, [QUEUE], BATCH, after] })
    if (rows.length === 0) break
    calls += 1
    after = rows[0].ring
    for (const { tenant } of rows) seen.add(tenant)
    if (seen.size > size) callsUntilAll = calls
    size = seen.size
  }
  return { seconds: Number(process.hrtime.bigint() - from) / 1e9, calls, callsUntilAll }
}
