// Starting many workflows in one call: how fast they are durable, and how fast they have all been run.
import { interleave } from '../measure/interleave.mjs'
import { startMeter } from '../measure/processor.mjs'
import { medians } from '../measure/statistics.mjs'

export async function run(bench) {
  const { bulk: count, rounds } = bench.settings
  const postgres = await bench.postgres()
  const lockstep = await bench.engine('lockstep', { url: await postgres.createDatabase('lockstep') })
  const bare = await bench.engine('bare', { url: await postgres.createDatabase('bare') })
  const redis = await bench.redis()
  const bullmq = await bench.peer('BullMQ', redis && { url: redis.url })
  const competitors = new Map(Object.entries({ Lockstep: lockstep, 'bare loop': bare, 'BullMQ addBulk': bullmq }))
  for (const [name, engine] of competitors) if (engine === undefined) competitors.delete(name)

  for (const engine of competitors.values()) await engine.call('bulk', { count: Math.ceil(count / 10) })
  bench.say(`${rounds} rounds of ${count} starts`)
  const measured = await interleave(rounds, competitors, async (engine, name, round) => {
    const servers = { postgres: postgres.pids, ...(redis && { redis: redis.pids }) }
    const meter = startMeter({ engine: [engine.pid], ...servers })
    const { seconds, endedSeconds } = await engine.call('bulk', { count })
    const ended = endedSeconds === undefined ? {} : { endedPerSecond: count / endedSeconds }
    const result = { perSecond: count / seconds, ...ended, ...meter.stop() }
    bench.round(name, { round, count, ...result })
    return result
  })

  const middle = new Map([...measured].map(([name, results]) => [name, medians(results)]))
  for (const [name, result] of middle) bench.load(`${name} bulk start`, result)
  const ours = middle.get('Lockstep')
  for (const [name, theirs] of middle) {
    if (name === 'Lockstep') continue
    const figure = { what: 'bulk start until durable', value: ours.perSecond, unit: 'starts/s' }
    const target = { of: 'value', least: 20_000 }
    bench.figure({ ...figure, ratio: ours.perSecond / theirs.perSecond, against: name, target })
  }
  const bullmqEnded = middle.get('BullMQ addBulk')?.endedPerSecond
  bench.figure({
    what: 'bulk start until all have run',
    value: ours.endedPerSecond,
    unit: 'workflows/s',
    ...(bullmqEnded && { ratio: ours.endedPerSecond / bullmqEnded, against: 'BullMQ addBulk' }),
    note: 'one step each',
  })
  await broadcast(bench, lockstep)
}

/** One event, thousands of instances that wait for it. */
async function broadcast(bench, lockstep) {
  const { broadcast: count } = bench.settings
  bench.say(`one event for ${count} waiting instances`)
  const { answeredSeconds, endedSeconds, ended } = await lockstep.call('broadcast', { count })
  bench.round('broadcast', { count, ended, answeredSeconds, endedSeconds })
  bench.figure({ what: `event to ${count}: publisher answered`, value: answeredSeconds * 1000, unit: 'ms' })
  bench.figure({ what: `event to ${count}: all ended`, value: count / endedSeconds, unit: 'workflows/s' })
  const target = { of: 'ratio', least: 1, most: 1 }
  bench.figure({ what: 'reached', value: ended, unit: 'instances', ratio: ended / count, against: 'waiting', target })
}
