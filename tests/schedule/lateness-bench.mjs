// 10,000 cron schedules due in one second: how late each of them fires, on one node that also runs what they start.
// node tests/schedule/lateness-bench.mjs [count]
import { systemClock as clock, systemRandom as random, silentLogger } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { engineLanes, migrate, openPostgres, postgresEngineStore, postgresWakeBus, statement } from '@lockstep/postgres'
import { startPostgres } from '@lockstep/testing/harness'

const count = Number(process.argv[2] ?? 10_000)
const server = await startPostgres({ quiet: true, durable: true })
const db = await openPostgres({ url: server.url, clock, random, lanes: engineLanes })
await migrate(db, { mode: 'auto', clock, random })
const bus = await postgresWakeBus(db, clock, silentLogger)
const tick = workflow('tick', async (ctx, run) => ctx.step('tick', () => run.key))
const engine = await Engine.open({ store: postgresEngineStore(db), clock, random, bus, workflows: [tick] })

// Written straight into the table, as `create` would: what is measured is the firing.
const due = new Date(Date.now() + 8_000)
due.setMilliseconds(0)
const cron = `${due.getUTCSeconds()} ${due.getUTCMinutes()} ${due.getUTCHours()} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`
const at = due.toISOString()
await db.script(`insert into schedule (id, tenant, document, definition_id, paused, due_at, wake_at)
  select 's-' || n, 'default', json_build_object('id', 's-' || n, 'trigger', json_build_object('cron', '${cron}'), 'definitionId', 'tick', 'input', json_build_object('key', n)),
         'tick', false, '${at}', '${at}' from generate_series(1, ${count}) as n; analyze schedule`)
console.log(`${count} schedules due in ${due.getTime() - Date.now()} ms`)

const sums = statement(
  'bench_sums',
  () => [],
  `select count(*)::int4 as runs, count(distinct schedule_id)::int4 as schedules, count(ended_at)::int4 as ended,
          percentile_disc(array[0.5, 0.99, 1]) within group (order by extract(epoch from fired_at - nominal_at) * 1000)::float8[] as late,
          percentile_disc(array[0.5, 0.99, 1]) within group (order by extract(epoch from i.finished_at - nominal_at) * 1000)::float8[] as done,
          count(i.finished_at)::int4 as finished
     from schedule_run r join instance i on i.id = r.instance_id where r.state = 'started'`,
)
for (;;) {
  const row = await db.one(sums)
  if (row.finished >= count) {
    console.log(row)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000))
}
await engine.close(1_000)
await bus.close()
await db.close()
await server.stop()
