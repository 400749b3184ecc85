// One workflow at a time: how long three durable steps take, and how long a waiting workflow takes to end after its signal.
import { interleave } from '../measure/interleave.mjs'
import { startMeter } from '../measure/processor.mjs'
import { median, percentile } from '../measure/statistics.mjs'

export async function run(bench) {
  const postgres = await bench.postgres()
  const lockstep = await bench.engine('lockstep', { url: await postgres.createDatabase('lockstep') })
  const bare = await bench.engine('bare', { url: await postgres.createDatabase('bare') })
  const dbos = await bench.peer('DBOS', { url: await postgres.createDatabase('dbos') })
  const restate = await bench.peer('Restate', {})

  await threeSteps(bench, present({ Lockstep: lockstep, bare, DBOS: dbos, Restate: restate }))
  await signals(bench, present({ Lockstep: lockstep, DBOS: dbos, Restate: restate }))
}

const present = (engines) => new Map(Object.entries(engines).filter(([, engine]) => engine !== undefined))

async function threeSteps(bench, engines) {
  const { singles, singleRounds } = bench.settings
  for (const engine of engines.values()) await engine.call('once', { count: Math.ceil(singles / 3) })
  bench.say(`three steps, ${singleRounds} rounds of ${singles} one at a time`)
  const took = await measure(bench, engines, 'three steps', (engine) => engine.call('once', { count: singles }))

  for (const percent of [50, 99]) {
    const value = took.get('Lockstep')[percent]
    for (const [name, theirs] of took) {
      if (name === 'Lockstep') continue
      const most = name === 'bare' ? 2 : 1
      bench.figure({
        what: `three steps, ${percent === 50 ? 'median' : 'p99'}`,
        value,
        unit: 'ms',
        ratio: value / theirs[percent],
        against: name === 'bare' ? 'bare loop' : name,
        ...(percent === 50 && { target: { of: 'ratio', most } }),
      })
    }
  }
}

async function signals(bench, engines) {
  const { signals: count, singleRounds } = bench.settings
  const ways = new Map()
  for (const [name, engine] of engines) {
    if (name === 'Lockstep') for (const how of ['publish', 'resume']) ways.set(`Lockstep ${how}`, { engine, how })
    else ways.set(name, { engine })
  }
  let offset = 0
  const signal = ({ engine, how }) => {
    offset += count
    return engine.call('signal', { how, count, offset })
  }
  for (const way of ways.values()) await signal(way)
  bench.say(`signal to end, ${singleRounds} rounds of ${count}`)
  const took = await measure(bench, ways, 'signal', signal)

  for (const how of ['publish', 'resume']) {
    const value = took.get(`Lockstep ${how}`)[50]
    const target = { of: 'value', most: 4 }
    const figure = { what: `${how} → finished, median`, value, unit: 'ms' }
    const peers = [...took].filter(([name]) => !name.startsWith('Lockstep'))
    if (peers.length === 0) bench.figure({ ...figure, target })
    for (const [name, theirs] of peers) bench.figure({ ...figure, ratio: value / theirs[50], against: name, target })
  }
}

/** Median of the rounds' medians; p99 of all rounds together, since one round is too short to have one. */
async function measure(bench, competitors, what, once) {
  const rounds = await interleave(bench.settings.singleRounds, competitors, async (competitor, name, round) => {
    const meter = startMeter({ engine: [(competitor.engine ?? competitor).pid] })
    const tookMs = await once(competitor)
    bench.round(`${name}, ${what}`, { round, medianMs: median(tookMs), p99Ms: percentile(tookMs, 99), ...meter.stop() })
    return tookMs
  })
  return new Map(
    [...rounds].map(([name, all]) => [name, { 50: median(all.map(median)), 99: percentile(all.flat(), 99) }]),
  )
}
