// Cron schedules that are all due in one second, on one node that also runs what they start: how late each fires, and that each fires once.
import { setTimeout as delay } from 'node:timers/promises'
import { startMeter } from '../measure/processor.mjs'
import { percentile } from '../measure/statistics.mjs'

/** Enough to write them all and tell the node. */
const AHEAD_SECONDS = 8
/** From the due time on: what has not ended by then counts as missing. */
const LONGEST_MS = 120_000
/** A second firing of any of them would follow within this time. */
const SETTLE_MS = 2_000

/** Written straight into the table, as `create` would: what is measured is the firing. */
const seed = `
  insert into lockstep.schedule (id, tenant, document, definition_id, paused, due_at, wake_at)
  select 's-' || n, 'default',
         json_build_object('id', 's-' || n, 'trigger', json_build_object('cron', $2::text), 'definitionId', 'one', 'input', json_build_object('n', n)),
         'one', false, $3::timestamptz, $3::timestamptz
    from generate_series(1, $1::integer) as n`

const counts = `
  select count(*)::integer as ended
    from lockstep.schedule_run r join lockstep.instance i on i.id = r.instance_id
   where r.state = 'started' and i.finished_at is not null`

/** By the database's clock: when it fired, and when what it started had ended. */
const firings = `
  select r.schedule_id as id, extract(epoch from r.fired_at - r.nominal_at)::float8 * 1000 as late,
         extract(epoch from i.finished_at - r.nominal_at)::float8 * 1000 as ended
    from lockstep.schedule_run r left join lockstep.instance i on i.id = r.instance_id
   where r.state = 'started'`

export async function run(bench) {
  const { schedules } = bench.settings
  const postgres = await bench.postgres()
  const url = await postgres.createDatabase('lockstep')
  const engine = await bench.engine('lockstep', { url })
  const session = bench.keep(await postgres.connect(url))

  const due = new Date(Date.now() + AHEAD_SECONDS * 1_000)
  due.setUTCMilliseconds(0)
  await session.query(seed, [schedules, cronAt(due), due.toISOString()])
  await session.query('analyze lockstep.schedule')
  await session.query(`select pg_notify('lockstep_wake', 'schedule')`)
  const leftMs = due.getTime() - Date.now()
  if (leftMs < 0) throw new Error(`writing ${schedules} schedules took longer than ${AHEAD_SECONDS} s`)
  bench.say(`${schedules} schedules due in ${leftMs} ms`)
  await delay(leftMs)

  const meter = startMeter({ engine: [engine.pid], postgres: postgres.pids })
  const from = performance.now()
  const allEnded = async () => (await session.query(counts))[0].ended >= schedules
  while (performance.now() - from < LONGEST_MS && !(await allEnded())) await delay(250)
  const shares = meter.stop()
  await delay(SETTLE_MS)

  const rows = await session.query(firings)
  const lateMs = rows.map(({ late }) => late)
  const endedMs = rows.map(({ ended }) => ended).filter((ended) => ended !== null)
  const measured = { p50: percentile(lateMs, 50), p99: percentile(lateMs, 99), most: Math.max(...lateMs) }
  bench.round('Lockstep', { count: rows.length, ...measured, ...shares })
  bench.load('Lockstep schedules', { perSecond: endedMs.length / shares.seconds, ...shares })

  bench.figure({ what: 'lateness of a schedule, p50', value: measured.p50, unit: 'ms' })
  bench.figure({
    what: 'lateness of a schedule, p99',
    value: measured.p99,
    unit: 'ms',
    target: { of: 'value', most: 2_000 },
  })
  bench.figure({
    what: 'from its due time to the end of what it started, p99',
    value: percentile(endedMs, 99),
    unit: 'ms',
  })
  const onceEach = [...timesById(rows).values()].filter((times) => times === 1).length
  bench.figure({
    what: 'fired exactly once',
    value: onceEach,
    unit: 'schedules',
    ratio: onceEach / schedules,
    against: 'schedules due',
    target: { of: 'ratio', least: 1, most: 1 },
  })
}

/** This one second, and then not for a year. */
const cronAt = (at) =>
  `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`

function timesById(rows) {
  const times = new Map()
  for (const { id } of rows) times.set(id, (times.get(id) ?? 0) + 1)
  return times
}
