// Fenced leases on Redis and PostgreSQL: pairs of acquire and release beside a bare pair and beside peers, hand-over between two
// processes, and what it costs to keep ten thousand leases alive.

import { handOvers } from '../measure/contend.mjs'
import { interleave } from '../measure/interleave.mjs'
import { measureLoad, warmUp } from '../measure/load-round.mjs'
import { median, percentile } from '../measure/statistics.mjs'

const CALLERS = [1, 64, 256]
const WAITERS = 5
const HOLD_MS = 2

export async function run(bench) {
  const redis = await bench.redisServer()
  const postgres = await bench.postgres()
  const redisUrl = redis.url
  const ours = await bench.engine('locks', { redisUrl }, 'toolkit on Redis')
  const bare = await bench.engine('bareLocks', { redisUrl }, 'bare pair on Redis')
  const semaphore = await bench.peer('redis-semaphore', { redisUrl })
  const redlock = await bench.peer('redlock', { redisUrl })
  const onPostgres = await bench.engine(
    'locks',
    { databaseUrl: await postgres.createDatabase('locks') },
    'on PostgreSQL',
  )
  const bareRows = await bench.engine('bareLocks', { databaseUrl: await postgres.createDatabase('bare') }, 'bare rows')

  await pairs(bench, { redis, postgres, ours, bare, semaphore, redlock, onPostgres, bareRows })
  await handOver(bench, { redisUrl, ours, bare, semaphore, redlock })
  await renewal(bench, ours)
}

async function pairs(bench, { redis, postgres, ours, bare, semaphore, redlock, onPostgres, bareRows }) {
  const competitors = new Map()
  const add = (name, engine, servers, callers = CALLERS) => {
    if (engine === undefined) return
    for (const count of callers) competitors.set(`${name}, ${count}`, { engine, args: { callers: count }, ...servers })
  }
  add('Redis', ours, { redis })
  add('bare pair', bare, { redis })
  add('redis-semaphore', semaphore, { redis })
  add('redlock', redlock, { redis })
  add('PostgreSQL', onPostgres, { postgres }, [1, 64])
  add('bare rows', bareRows, { postgres }, [1, 64])
  bench.say(`warming up, then ${bench.settings.rounds} rounds of ${competitors.size} competitors`)
  await warmUp(bench, competitors)
  const measured = await measureLoad(bench, competitors)
  const rate = (name, callers) => measured.get(`${name}, ${callers}`)?.perSecond
  const figure = (what, name, against, callers, least) => {
    const theirs = rate(against, callers)
    if (theirs === undefined) return
    const value = rate(name, callers)
    bench.figure({
      what: `${what}, ${callers} at once`,
      value,
      unit: 'pairs/s',
      ratio: value / theirs,
      against,
      target: { of: 'ratio', least },
    })
  }
  figure('Redis, fenced', 'Redis', 'bare pair', 1, 0.85)
  for (const callers of [64, 256]) {
    for (const against of ['bare pair', 'redis-semaphore', 'redlock'])
      figure('Redis, fenced', 'Redis', against, callers, 1.5)
  }
  figure('PostgreSQL, fenced', 'PostgreSQL', 'bare rows', 1, 0.7)
  figure('PostgreSQL, fenced', 'PostgreSQL', 'bare rows', 64, 2)
}

/** Two processes of each kind, so many waiters in each, one lock. */
async function handOver(bench, { redisUrl, ours, bare, semaphore, redlock }) {
  const seconds = bench.settings.contendSeconds
  const second = await bench.engine('locks', { redisUrl }, 'toolkit on Redis, second process')
  const sides = new Map([['ours', [ours, second]]])
  for (const [name, first] of [
    ['redis-semaphore', semaphore],
    ['redlock', redlock],
  ])
    if (first !== undefined) sides.set(name, [first, await bench.peer(name, { redisUrl })])
  bench.say(`hand-over: ${2 * WAITERS} waiters in two processes, ${seconds} s each`)
  const round = async (engines, name, index) => {
    const trip = median(await bare.call('pings', { count: 300 }))
    const args = { waiters: WAITERS, holdMs: HOLD_MS, seconds, name: `contended:${index}` }
    const turns = await Promise.all(engines.map((engine) => engine.call('contend', args)))
    const { gapsMs, turnCount, counts, overlaps } = handOvers(turns)
    const fair = turnCount / (2 * WAITERS)
    const measured = {
      trip,
      gapP50: percentile(gapsMs, 50),
      gapP99: percentile(gapsMs, 99),
      leastShare: counts.size < 2 * WAITERS ? 0 : Math.min(...counts.values()) / fair,
      turnCount,
      overlaps,
    }
    bench.round(`hand-over ${name}`, measured)
    return measured
  }
  const rounds = await interleave(bench.settings.rounds, sides, round)
  const middle = (name, field) => median(rounds.get(name).map((each) => each[field]))
  const trip = median([...rounds.values()].flat().map((each) => each.trip))
  const p50 = middle('ours', 'gapP50')
  bench.figure({
    what: 'hand-over, median gap',
    value: p50,
    unit: 'ms',
    ratio: p50 / trip,
    against: 'one Redis round trip',
    target: { of: 'ratio', most: 2 },
  })
  for (const name of [...sides.keys()].slice(1)) {
    const theirs = middle(name, 'gapP99')
    const p99 = middle('ours', 'gapP99')
    const target = name === 'redis-semaphore' ? { of: 'ratio', most: 0.2 } : undefined
    bench.figure({ what: 'hand-over, p99', value: p99, unit: 'ms', ratio: p99 / theirs, against: name, target })
  }
  bench.figure({
    what: 'smallest share of a waiter',
    value: middle('ours', 'leastShare'),
    unit: 'of fair',
    ratio: middle('ours', 'leastShare'),
    against: 'fair share',
    target: { of: 'ratio', least: 0.5 },
  })
  const overlaps = rounds.get('ours').reduce((sum, each) => sum + each.overlaps, 0)
  bench.figure({ what: 'two holders at once', value: overlaps, unit: 'times', target: { of: 'value', most: 0 } })
}

async function renewal(bench, ours) {
  const { leases, renewSeconds } = bench.settings
  bench.say(`${leases} leases of 30 s, ${renewSeconds} s`)
  const { cores, lost } = await ours.call('hold', { count: leases, ttlMs: 30_000, seconds: renewSeconds })
  bench.round('renewal', { cores, lost })
  bench.figure({
    what: `keeping ${leases} leases`,
    value: cores * 100,
    unit: '% of a core',
    target: { of: 'value', most: 5 },
  })
  bench.figure({ what: 'leases lost meanwhile', value: lost, unit: 'leases', target: { of: 'value', most: 0 } })
}
