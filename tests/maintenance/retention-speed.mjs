// Commit latency while a million journal rows are deleted. Run by hand on the built packages: node tests/maintenance/retention-speed.mjs
// Windows with and without the sweep alternate (the sweeping process is stopped and woken), so that both see the same machine.
// Options by environment: ROWS (1_000_000), RATE (workflows a second, 200), WINDOW_MS (4_000), DURABLE (1).
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock as clock, silentLogger as logger, systemRandom as random } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { engineLanes, migrate, openPostgres, postgresEngineStore } from '@lockstep/postgres'

const edge = { clock, random, logger }
const { ROWS = '1000000', RATE = '200', WINDOW_MS = '4000', DURABLE = '1' } = process.env
const FACTS = 5

if (process.argv[2] === 'sweep') await sweepProcess(process.argv[3])
else await measure()

async function sweepProcess(url) {
  const db = await openPostgres({ url, ...edge })
  const keep = { completed: '1h' }
  const engine = await Engine.open({
    ...edge,
    store: postgresEngineStore(db),
    retention: { keep },
    heartbeatMs: 60_000,
    ttlMs: 600_000,
  })
  process.send('ready')
  await once(process, 'message')
  const began = performance.now()
  const report = await engine.retention.sweep()
  process.send({ report, tookMs: performance.now() - began })
  await engine.close(0)
  await db.close()
  process.disconnect()
}

async function measure() {
  const { startPostgres } = await import('@lockstep/testing/harness')
  const server = await startPostgres({ durable: DURABLE === '1' })
  const db = await openPostgres({ url: server.url, ...edge, lanes: engineLanes, statementTimeoutMs: 600_000 })
  await migrate(db, { mode: 'auto', ...edge })
  await seed(db, Math.floor(Number(ROWS) / FACTS))
  const latencies = { quiet: [], sweep: [] }
  let phase
  const store = timed(postgresEngineStore(db), (ms) => phase && latencies[phase].push(ms))
  const order = workflow('order', async (ctx) => {
    for (const step of ['a', 'b', 'c']) await ctx.step(step, async () => step)
  })
  const engine = await Engine.open({
    ...edge,
    store,
    workflows: [order],
    retention: { sweep: false },
    heartbeatMs: 60_000,
    ttlMs: 600_000,
  })
  let loading = true
  const load = keepStarting(engine, () => loading)
  await delay(3_000)

  const child = fork(fileURLToPath(import.meta.url), ['sweep', server.url])
  await once(child, 'message')
  let result
  child.on('message', (message) => {
    result = message
  })
  child.send('go')
  for (let window = 0; result === undefined; window += 1) {
    phase = window % 2 === 0 ? 'sweep' : 'quiet'
    child.kill(phase === 'sweep' ? 'SIGCONT' : 'SIGSTOP')
    const until = performance.now() + Number(WINDOW_MS)
    while (performance.now() < until && result === undefined) await delay(20)
  }
  phase = undefined
  loading = false
  await load
  const { report } = result
  console.log(`${report.instances} instances, ${report.rows} journal rows deleted (${report.ended})`)
  for (const [name, at] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ]) {
    const [quiet, sweep] = [quantile(latencies.quiet, at), quantile(latencies.sweep, at)]
    console.log(
      `commit ${name}: ${quiet.toFixed(2)} ms without, ${sweep.toFixed(2)} ms with the sweep (${((sweep / quiet - 1) * 100).toFixed(1)} %)`,
    )
  }
  console.log(`${latencies.quiet.length} and ${latencies.sweep.length} commits`)
  await engine.close(0)
  await db.close()
  await server.stop()
}

/** Ended instances of two hours ago with as many facts each, and twice as many that stay. */
async function seed(db, count) {
  const insert = (n, ago, definition) => `
    with i as (
      insert into instance (id, tenant, definition_id, version, queue, created_at, status, finished_at, last_seq, claim_no)
      select (lpad(to_hex((extract(epoch from now() - interval '${ago}') * 1000)::bigint + n / 100), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
             'default', '${definition}', 1, 'default', now() - interval '${ago}', 'completed', now() - interval '${ago}', ${FACTS}, 1
        from generate_series(1, ${n}) n returning id)
    insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
    select i.id, s, 1, 0, now() - interval '${ago}', i.id, 'default', 'completed', '{"step":"a","output":{"n":1,"text":"some result of a usual size"}}'
      from i, generate_series(1, ${FACTS}) s`
  await db.script(insert(count, '2 hours', 'old'))
  await db.script(insert(Math.floor(count / 4), '30 minutes', 'young'))
  await db.script('vacuum analyze instance').catch(() => undefined)
}

async function keepStarting(engine, goesOn) {
  const gapMs = 1_000 / Number(RATE)
  let next = performance.now()
  const running = new Set()
  while (goesOn()) {
    if (performance.now() < next) {
      await delay(Math.max(1, next - performance.now()))
      continue
    }
    next += gapMs
    const one = engine
      .start({ definitionId: 'order' })
      .then(({ instanceId, here }) => engine.waitForEnd(instanceId, { here }))
    running.add(one)
    one.finally(() => running.delete(one))
  }
  await Promise.all(running)
}

function timed(store, note) {
  const commit = async (batch) => {
    const began = performance.now()
    const answer = await store.commits.commit(batch)
    note(performance.now() - began)
    return answer
  }
  return { ...store, commits: { ...store.commits, commit } }
}

function quantile(values, at) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}
