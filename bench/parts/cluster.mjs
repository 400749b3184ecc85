// Several nodes on one database: what a cluster costs, how soon one node does what another was told, and how soon work goes on without one.
import { setTimeout as delay } from 'node:timers/promises'
import { interleave } from '../measure/interleave.mjs'
import { startMeter } from '../measure/processor.mjs'
import { median, percentile } from '../measure/statistics.mjs'

/** Few, so that one node waits for its disk more than it works, and as many on each of three as the other parts put on one. */
const CALLERS = [48, 192]

export async function run(bench) {
  const postgres = await bench.postgres()
  const redis = await bench.redisServer()
  const open = async (name, options) => bench.engine('clusterNode', { name, ...options }, name)
  await throughput(bench, postgres, open)
  await handOvers(bench, await postgres.createDatabase('handover'), open)
  for (const [way, more] of Object.entries({ NOTIFY: {}, Redis: { redisUrl: redis.url } }))
    await wakeUps(bench, way, { url: await postgres.createDatabase(`wake_${way.toLowerCase()}`), ...more }, open)
}

/** Code is compiled per process, and a third of the work each takes three times as long to compile it. */
const WARM_UPS = 4

async function throughput(bench, postgres, open) {
  const { rampMs, warmMs } = bench.settings
  const alone = [await open('alone', { url: await postgres.createDatabase('alone') })]
  const url = await postgres.createDatabase('three')
  const three = [await open('one', { url }), await open('two', { url }), await open('third', { url })]
  const perSecond = async (nodes, callers, windowMs) => {
    const results = await Promise.all(
      nodes.map((node) => node.call('load', { callers: callers / nodes.length, rampMs, windowMs })),
    )
    return results.reduce((sum, each) => sum + each.perSecond, 0)
  }
  for (const nodes of [alone, three]) await perSecond(nodes, CALLERS[0], warmMs * WARM_UPS * nodes.length)
  for (const callers of CALLERS) await compare(bench, postgres, { alone, three }, callers, perSecond)
  for (const node of [...alone, ...three]) await node.stop()
}

async function compare(bench, postgres, ways, callers, perSecond) {
  const { rounds, windowMs } = bench.settings
  bench.say(`three steps on one node and on three, ${callers} callers, ${rounds} rounds`)
  const measured = await interleave(rounds, new Map(Object.entries(ways)), async (nodes, name, round) => {
    const meter = startMeter({ engine: nodes.map((node) => node.pid), postgres: postgres.pids })
    const rate = await perSecond(nodes, callers, windowMs)
    bench.round(`${name}, ${callers} callers`, { round, perSecond: rate, ...meter.stop() })
    return rate
  })
  const value = median(measured.get('three'))
  bench.figure({
    ...{ what: `three nodes, ${callers} callers`, value, unit: '/s' },
    ...{ ratio: value / median(measured.get('alone')), against: 'one node', target: { of: 'ratio', least: 0.85 } },
  })
}

/** Waits until all of them rest. */
async function resting(node, ids) {
  while ((await node.call('statuses', { ids })).some((status) => status !== 'suspended')) await delay(20)
}

async function handOvers(bench, url, open) {
  const { signals } = bench.settings
  const [first, second] = [await open('first', { url }), await open('second', { url })]
  const waiters = await first.call('start', { definitionId: 'waiter', count: signals * 2 })
  await resting(first, waiters)
  await second.call('resume', { ids: waiters.slice(0, signals) })
  const cold = await second.call('resume', { ids: waiters.slice(signals) })
  bench.round('resumed on another node', { medianMs: median(cold), p99Ms: percentile(cold, 99) })
  bench.figure({
    ...{ what: 'resume on a node that has it not in memory → finished, median', value: median(cold), unit: 'ms' },
    target: { of: 'value', most: 10 },
  })

  const inHand = 200
  await first.call('start', { definitionId: 'sleeper', count: inHand, input: { ms: 4_000 } })
  const before = await second.call('held')
  const draining = first.call('drain')
  while ((await second.call('held')) < before + inHand) await delay(2)
  const { from } = await draining
  const tookMs = (await second.call('now')) - from
  bench.figure({
    ...{ what: `${inHand} timers in hand of a drained node are in another's`, value: tookMs, unit: 'ms' },
    target: { of: 'value', most: 500 },
  })
  await first.stop()

  const doomed = await open('doomed', { url })
  await doomed.call('stand')
  const ids = await doomed.call('start', { definitionId: 'standing', count: 100 })
  const killedAt = await second.call('now')
  process.kill(doomed.pid, 'SIGKILL')
  const begun = await second.call('begun', { ids })
  const recovery = begun.map((at) => at - killedAt)
  bench.round('recovery after kill -9', { medianMs: median(recovery), p99Ms: percentile(recovery, 99) })
  bench.figure({
    ...{ what: 'steps of a killed node begin elsewhere, p99', value: percentile(recovery, 99), unit: 'ms' },
    target: { of: 'value', most: 5_000 },
  })
  await second.stop()
}

async function wakeUps(bench, way, options, open) {
  const { signals } = bench.settings
  const worker = await open(`worker by ${way}`, options)
  const front = await open(`front by ${way}`, { ...options, roles: ['api'] })
  await front.call('wake', { count: Math.ceil(signals / 4) })
  const tookMs = await front.call('wake', { count: signals })
  bench.round(`wake-up by ${way}`, { medianMs: median(tookMs), p99Ms: percentile(tookMs, 99) })
  bench.figure({
    ...{ what: `a step begins on another node, by ${way}, median`, value: median(tookMs), unit: 'ms' },
    target: { of: 'value', most: 5 },
  })
  await front.stop()
  await worker.stop()
}
