// Three trivial async steps per workflow, each of them durable before the next: how many workflows a second, beside peers
// that do the same and beside a bare group-commit loop that makes the same four commits with no engine around it.
import path from 'node:path'
import { measureLoad, warmUp } from '../measure/load-round.mjs'

const CALLERS = [64, 256]

export async function run(bench) {
  const postgres = await bench.postgres()
  const lockstep = await bench.engine('lockstep', { url: await postgres.createDatabase('lockstep') })
  const bare = await bench.engine('bare', { url: await postgres.createDatabase('bare') })
  const embedded = await bench.engine('lockstep', { dataDir: bench.folder() }, 'embedded')
  const bareEmbedded = await bench.engine('bare', { dataDir: path.join(bench.folder(), 'pgdata') }, 'bare embedded')
  const dbosUrl = await postgres.createDatabase('dbos')
  const dbos = await bench.peer('DBOS', { url: dbosUrl })
  const restate = await bench.peer('Restate', {})
  const redis = await bench.redis()
  const bullmq = await bench.peer('BullMQ', redis && { url: redis.url })

  const competitors = new Map()
  const add = (name, engine, rest = {}, callers = CALLERS) => {
    if (engine === undefined) return
    for (const count of callers) {
      competitors.set(`${name}, ${count} callers`, { engine, args: { callers: count, ...rest.args }, ...rest.servers })
    }
  }
  add('Lockstep functions', lockstep, { servers: { postgres } })
  add('Lockstep graph', lockstep, { servers: { postgres }, args: { definitionId: 'three-graph' } })
  add('bare', bare, { servers: { postgres } })
  add('DBOS', dbos, { servers: { postgres } }, [64])
  add('Restate', restate)
  add('BullMQ chain', bullmq, { servers: { redis } })
  add('Lockstep embedded', embedded)
  add('bare embedded', bareEmbedded)

  bench.say(`warming up, then ${bench.settings.rounds} rounds of ${competitors.size} competitors`)
  // Before the warm-up: the first change of a page after a checkpoint writes all of it, and that is nobody's steady state.
  await postgres.query('checkpoint')
  await warmUp(bench, competitors)
  // A new database has no statistics: the peer's plans should be those of one that has been up for a while.
  if (dbos !== undefined) await analyse(postgres, dbosUrl)
  report(bench, await measureLoad(bench, competitors))
}

async function analyse(postgres, url) {
  const session = await postgres.connect(url)
  await session.query('analyze')
  await session.stop()
}

function report(bench, measured) {
  const rate = (name, callers) => measured.get(`${name}, ${callers} callers`)?.perSecond
  const best = (name) => Math.max(...CALLERS.map((callers) => rate(name, callers) ?? 0))
  const unit = 'workflows/s'

  for (const callers of CALLERS) {
    for (const [kind, target] of [['functions', { of: 'ratio', least: 0.5 }], ['graph']]) {
      const value = rate(`Lockstep ${kind}`, callers)
      const ratio = value / rate('bare', callers)
      bench.figure({ what: `${kind}, ${callers} callers`, value, unit, ratio, against: 'bare loop', target })
    }
  }
  for (const [peer, least] of [
    ['DBOS', 25],
    ['Restate', 12],
    ['BullMQ chain', 2],
  ]) {
    const theirs = best(peer)
    if (theirs === 0) continue
    for (const kind of ['functions', 'graph']) {
      const value = best(`Lockstep ${kind}`)
      const target = kind === 'functions' ? { of: 'ratio', least } : undefined
      bench.figure({ what: `${kind}, best of callers`, value, unit, ratio: value / theirs, against: peer, target })
    }
  }
  for (const callers of CALLERS) {
    const value = rate('Lockstep embedded', callers)
    const ratio = value / rate('bare embedded', callers)
    const target = callers === 256 ? { of: 'value', least: 3_000 } : undefined
    bench.figure({ what: `embedded, ${callers} callers`, value, unit, ratio, against: 'bare loop embedded', target })
  }
  reportWrites(bench, measured)
}

function reportWrites(bench, measured) {
  const of = (name) => measured.get(`${name}, 256 callers`)
  const ours = of('Lockstep functions')
  const theirs = of('bare')
  bench.figure({
    what: 'durable commits per workflow',
    value: ours.commitsEach,
    unit: '',
    ratio: ours.commitsEach / 4,
    against: 'bare loop',
  })
  bench.figure({
    what: 'transactions per workflow, 256 callers',
    value: ours.writesEach,
    unit: '',
    ratio: ours.writesEach / theirs.writesEach,
    against: 'bare loop',
  })
  const target = { of: 'value', most: 2_048 }
  const ratio = ours.walEach / theirs.walEach
  bench.figure({
    what: 'WAL per workflow, 256 callers',
    value: ours.walEach,
    unit: 'bytes',
    ratio,
    against: 'bare loop',
    target,
  })
}
