// What a sweep of expired instances does to commits: windows with and without it alternate, the sweeping process being stopped and woken, so
// that both see the same machine. Load is an open loop, the same in both.
import { setTimeout as delay } from 'node:timers/promises'
import { startMeter } from '../measure/processor.mjs'
import { percentile } from '../measure/statistics.mjs'

/** Facts of each instance. */
const FACTS = 5
const LONGEST_MS = 1_800_000
/** Windows without the sweep are shorter by this: they are many enough, and a million rows take their time. */
const QUIET_PART = 2

/** Instances that ended so long ago. */
const seed = (definitionId, ago) => `
  with ended as (
    insert into lockstep.instance (id, tenant, definition_id, version, queue, created_at, status, finished_at, last_seq, claim_no)
    select (lpad(to_hex((extract(epoch from now() - interval '${ago}') * 1000)::bigint + n / 100), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
           'default', '${definitionId}', 1, 'default', now() - interval '${ago}', 'completed', now() - interval '${ago}', ${FACTS}, 1
      from generate_series(1, $1::integer) n returning id)
  insert into lockstep.journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  select ended.id, seq, 1, 0, now() - interval '${ago}', ended.id, 'default', 'completed', '{"step":"a","output":{"n":1,"text":"some result of a usual size"}}'
    from ended, generate_series(1, ${FACTS}) seq`

export async function run(bench) {
  const { expiredRows, startsPerSecond, sweepWindowMs, warmMs } = bench.settings
  const postgres = await bench.postgres()
  const url = await postgres.createDatabase('lockstep')
  const engine = await bench.engine('timedCommits', { url })
  const instances = Math.ceil(expiredRows / FACTS)
  bench.say(`${expiredRows} expired journal rows; ${startsPerSecond} workflows a second`)
  const session = bench.keep(await postgres.connect(url))
  await session.query(seed('expired', '2 hours'), [instances])
  await session.query(seed('kept', '30 minutes'), [Math.ceil(instances / 4)])
  await session.query('vacuum analyze lockstep.instance')

  await engine.call('begin', { perSecond: startsPerSecond })
  await delay(warmMs)
  const meter = startMeter({ engine: [engine.pid], postgres: postgres.pids })
  await engine.call('phase', { name: 'quiet' })
  await delay(sweepWindowMs)
  await engine.call('phase', {})
  const sweeper = await bench.engine('sweeper', { url, keep: '1h' })
  const report = await sweepInWindows(bench, engine, sweeper)
  const commitsMs = await engine.call('end')
  const shares = meter.stop()

  const summaries = {}
  for (const [name, tookMs] of Object.entries(commitsMs)) {
    summaries[name] = { p50: percentile(tookMs, 50), p95: percentile(tookMs, 95), p99: percentile(tookMs, 99) }
    bench.round(name, { count: tookMs.length, ...summaries[name], ...shares })
  }
  for (const percent of ['p50', 'p95', 'p99']) {
    bench.figure({
      what: `commit while expired rows are deleted, ${percent}`,
      value: summaries.sweep[percent],
      unit: 'ms',
      ratio: summaries.sweep[percent] / summaries.quiet[percent],
      against: 'without a sweep',
      ...(percent === 'p99' && { target: { of: 'ratio', most: 1.25 } }),
    })
  }
  bench.figure({
    what: 'journal rows deleted',
    value: report.rows,
    unit: 'rows',
    ratio: report.rows / (instances * FACTS),
    against: 'expired rows',
    target: { of: 'ratio', least: 1, most: 1 },
  })
}

/** The sweep goes on in every other window, until it is done. */
async function sweepInWindows({ keep, settings }, engine, sweeper) {
  // A stopped process cannot be asked to close.
  keep({ stop: async () => wake(sweeper.pid) })
  let isOver = false
  const swept = sweeper.call('sweep', {}, LONGEST_MS).finally(() => {
    isOver = true
  })
  swept.catch(() => undefined) // it is awaited below, and may fail before
  for (let window = 0; !isOver; window += 1) {
    const isSweeping = window % 2 === 0
    if (isSweeping) wake(sweeper.pid)
    else process.kill(sweeper.pid, 'SIGSTOP')
    await engine.call('phase', { name: isSweeping ? 'sweep' : 'quiet' })
    const until = performance.now() + settings.sweepWindowMs / (isSweeping ? 1 : QUIET_PART)
    while (performance.now() < until && !isOver) await delay(20)
  }
  await engine.call('phase', {})
  return swept
}

/** Gone already is as good. */
function wake(pid) {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {}
}
