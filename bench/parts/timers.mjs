// Many timers that come due one after the other: how late each fires, by the database's own clock, and that each fires once.
import { startMeter } from '../measure/processor.mjs'
import { percentile } from '../measure/statistics.mjs'

const SHORTEST_MS = 500
const WARM_COUNT = 100

/**
 * Of the last instances that were started: how long after its due time each timer's fact was committed, and whether any
 * timer has no such fact, or more than one. A due time is the moment of the commit that began the wait, plus the wait.
 */
const journal = `
  with chosen as (
    select id from lockstep.instance where definition_id = 'sleeper' order by created_at desc, id desc limit $1),
  waits as (
    select j.instance_id, j.at + (j.data -> 'wait' ->> 'ms')::float8 * interval '1 millisecond' as due
      from lockstep.journal j join chosen on chosen.id = j.instance_id where j.kind = 'waiting'),
  fired as (
    select j.instance_id, min(j.at) as at, count(*) as times
      from lockstep.journal j join chosen on chosen.id = j.instance_id
     where j.kind = 'completed' and j.data ->> 'by' = 'timer' group by j.instance_id)
  select extract(epoch from fired.at - waits.due)::float8 * 1000 as late, fired.times::integer as times
    from waits left join fired on fired.instance_id = waits.instance_id`

export async function run(bench) {
  const { timers, timersSeconds } = bench.settings
  const delaysMs = spread(timers, SHORTEST_MS, timersSeconds * 1000)
  const postgres = await bench.postgres()
  const url = await postgres.createDatabase('lockstep')
  const lockstep = await bench.engine('lockstep', { url })
  const bare = await bench.engine('bare', { url: await postgres.createDatabase('bare') })
  const redis = await bench.redis()
  const bullmq = await bench.peer('BullMQ', redis && { url: redis.url })

  const fire = async (name, engine) => {
    if (engine === undefined) return undefined
    await engine.call('timers', { delaysMs: Array.from({ length: WARM_COUNT }, () => SHORTEST_MS) })
    bench.say(`${name}: ${timers} timers within ${timersSeconds} s`)
    const servers = { postgres: postgres.pids, ...(redis && { redis: redis.pids }) }
    const meter = startMeter({ engine: [engine.pid], ...servers })
    const lateMs = await engine.call('timers', { delaysMs })
    const shares = meter.stop()
    bench.load(`${name} timers`, { perSecond: timers / timersSeconds, ...shares })
    return { lateMs, shares }
  }
  const summary = (name, { lateMs, shares }) => {
    const measured = { p50: percentile(lateMs, 50), p99: percentile(lateMs, 99), most: Math.max(...lateMs) }
    bench.round(name, { count: lateMs.length, ...measured, ...shares })
    return measured
  }

  const { shares } = await fire('Lockstep', lockstep)
  const session = bench.keep(await postgres.connect(url))
  const rows = await session.query(journal, [timers])
  const ours = summary('Lockstep', { lateMs: rows.map(({ late }) => late).filter((late) => late !== null), shares })
  const others = new Map()
  for (const [name, engine] of [
    ['bare loop', bare],
    ['BullMQ delayed jobs', bullmq],
  ]) {
    const fired = await fire(name, engine)
    if (fired !== undefined) others.set(name, summary(name, fired))
  }

  for (const percent of ['p50', 'p99']) {
    for (const [name, theirs] of others) {
      const ratio = ours[percent] / theirs[percent]
      bench.figure({ what: `lateness, ${percent}`, value: ours[percent], unit: 'ms', ratio, against: name })
    }
  }
  const onceEach = rows.filter(({ times }) => times === 1).length
  const target = { of: 'ratio', least: 1, most: 1 }
  bench.figure({
    what: 'fired exactly once',
    value: onceEach,
    unit: 'timers',
    ratio: onceEach / timers,
    against: 'timers set',
    target,
  })
}

/** Evenly over the range, in an order that looks random and is the same in every run. */
function spread(count, fromMs, toMs) {
  const stride = coprime(Math.floor(count * 0.618), count)
  return Array.from({ length: count }, (_, index) =>
    Math.round(fromMs + ((toMs - fromMs) * ((index * stride) % count)) / Math.max(1, count - 1)),
  )
}

function coprime(from, count) {
  const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b))
  let candidate = Math.max(1, from)
  while (divisor(candidate, count) !== 1) candidate += 1
  return candidate
}
