// HTTP beside what is below it: starts against the engine itself, cached reads against a bare route, the tail at half of the most, the
// cost of live streams, and a start-up among waiting instances.
import { setTimeout as delay } from 'node:timers/promises'
import { interleave } from '../measure/interleave.mjs'
import { leastDisturbed } from '../measure/least-disturbed.mjs'
import { startMeter } from '../measure/processor.mjs'
import { median } from '../measure/statistics.mjs'
import { seed } from './flatness/seed.mjs'

const CALLERS = 64
/** The same is measured for fewer, without a target: the ratio depends on how many there are. */
const FEWER = [1, 16]
const STREAMS = 200
/** Rounds of load before the first that counts: a request goes through far more code than a start does, and all of it is compiled as it goes. */
const WARM_UPS = 4
/** Starts of a node are short, and one that the machine held up is half as long again: the median is of more of them. */
const STARTS_A_ROUND = 3
/** After a checkpoint, and after streams were opened, before a round. */
const SETTLE_MS = 300
const START = { definitionId: 'one', input: { n: 1 }, wait: '30s' }

export async function run(bench) {
  const postgres = await bench.postgres()
  const url = await postgres.createDatabase('rest')
  const node = await bench.engine('rest', { url })
  const engine = await bench.engine('lockstep', { url: await postgres.createDatabase('engine') })
  const cannon = await bench.engine('cannon', {})
  const readers = await bench.engine('cannon', {}, 'readers')
  const session = bench.keep(await postgres.connect(url))
  const bare = await bench.engine('bareCommits', { url: await postgres.createDatabase('bare') })
  const routed = await bench.engine('lockstep', { url: await postgres.createDatabase('routed') }, 'bare route')
  const targets = {
    ...(await node.call('targets')),
    commits: (await bare.call('targets')).starts,
    bareStarts: await routed.call('listen'),
  }
  const site = { bench, postgres, session, node, engine, bare, routed, cannon, readers, targets }
  const most = await starts(site)
  for (const callers of FEWER) await startsOf(site, callers)
  await tail(site)
  await reads(site)
  await streams(site, most)
  await startUp(site)
}

const fire = ({ bench, cannon, targets }, more = {}) =>
  cannon.call('fire', {
    url: targets.starts,
    body: START,
    connections: CALLERS,
    seconds: bench.settings.restSeconds,
    ...more,
  })

/** Whoever comes next does not pay for what the one before has left to write. */
async function settle({ session }) {
  await session.query('checkpoint')
  await delay(SETTLE_MS)
}

async function measured(
  { bench, node, engine, bare, routed, postgres, cannon, readers },
  name,
  round,
  work,
  attempt = 1,
) {
  const meter = startMeter({
    engine: [node.pid, engine.pid, bare.pid, routed.pid],
    postgres: postgres.pids,
    load: [cannon.pid, readers.pid],
  })
  const result = { ...(await work()), ...meter.stop() }
  bench.round(name, { round, attempt, ...result })
  return result
}

/** Rounds in turn; the median rate of each. */
async function rates(site, ways) {
  const rounds = await interleave(site.bench.settings.rounds, new Map(Object.entries(ways)), (work, name, round) =>
    leastDisturbed(async (attempt) => {
      await settle(site)
      return measured(site, name, round, work, attempt)
    }),
  )
  return Object.fromEntries([...rounds].map(([name, all]) => [name, median(all.map(({ perSecond }) => perSecond))]))
}

const startInside = ({ bench, engine }, callers) => {
  const { restSeconds, rampMs } = bench.settings
  return engine.call('load', { definitionId: 'one', callers, rampMs, windowMs: restSeconds * 1000 })
}

async function starts(site) {
  const { bench, targets } = site
  const ways = {
    'starts over HTTP': () => fire(site),
    'starts over a bare route': () => fire(site, { url: targets.bareStarts }),
    'starts in the process': () => startInside(site, CALLERS),
  }
  bench.say(`${CALLERS} callers start a workflow of one step and wait for its end`)
  for (let round = 0; round < WARM_UPS; round += 1) for (const way of Object.values(ways)) await way()
  const rate = await rates(site, ways)
  const [rest, bare, inside] = Object.keys(ways).map((name) => rate[name])
  const what = `start to end over HTTP, ${CALLERS} callers`
  const against = 'engine in the process'
  bench.figure({ what, value: rest, unit: '/s', ratio: rest / inside, against, target: { of: 'ratio', least: 0.6 } })
  bench.figure({ what: 'the same by a bare Fastify route', value: bare, unit: '/s', ratio: bare / inside, against })
  bench.figure({ what, value: rest, unit: '/s', ratio: rest / bare, against: 'bare Fastify route' })
  return rest
}

async function startsOf(site, callers) {
  const names = ['starts over HTTP', 'starts in the process'].map((name) => `${name}, callers: ${callers}`)
  const [rest, inside] = [() => fire(site, { connections: callers }), () => startInside(site, callers)]
  const rate = await rates(site, { [names[0]]: rest, [names[1]]: inside })
  const value = rate[names[0]]
  const [unit, against] = ['/s', 'engine in the process']
  site.bench.figure({ what: `the same, callers: ${callers}`, value, unit, ratio: value / rate[names[1]], against })
}

/**
 * What the most is changes with the machine from one minute to the next: each round has its own, from just before. How long the slowest hundredth
 * takes is up to the machine as well, which holds up whatever runs on it now and then: a bare route with two bare commits is measured in turn with ours,
 * at half of its own most.
 */
async function tail(site) {
  const { bench, targets } = site
  const halfOf = (url) => (name, round) =>
    leastDisturbed(async (attempt) => {
      const { perSecond } = await measured(site, `${name}, the most before`, round, () => fire(site, { url }), attempt)
      await settle(site)
      const half = { url, rate: perSecond / 2, seconds: 2 * bench.settings.restSeconds }
      return measured(site, name, round, () => fire(site, half), attempt)
    })
  const ways = { 'half of the most': halfOf(targets.starts), 'half of bare commits': halfOf(targets.commits) }
  bench.say('half of that, beside a bare route with two commits at half of its own most')
  for (let round = 0; round < WARM_UPS; round += 1) await fire(site, { url: targets.commits })
  const rounds = await interleave(bench.settings.rounds, new Map(Object.entries(ways)), (way, name, round) =>
    way(name, round),
  )
  const [ours, bare] = Object.keys(ways).map((name) => {
    const all = rounds.get(name)
    return {
      value: median(all.map(({ p99Ms }) => p99Ms)),
      unit: 'ms',
      ratio: median(all.map(({ p99Ms, p50Ms }) => p99Ms / p50Ms)),
      against: 'its median',
    }
  })
  const what = 'start to end over HTTP at half of that rate, p99'
  bench.figure({ what, ...ours, target: { of: 'ratio', most: 5 } })
  bench.figure({ what: 'a bare route with two commits at half of its own, p99', ...bare })
  bench.figure({
    what: `${what} over p50`,
    value: ours.ratio,
    unit: 'times',
    ratio: ours.ratio / bare.ratio,
    against: 'the bare route',
    target: { of: 'ratio', most: 1 },
  })
}

/** At half of the most: every reader gets every fact, which is work of its own for both sides. */
async function streams(site, most) {
  const { bench, readers, targets } = site
  const among = async (url, work) => {
    await readers.call('subscribe', { url, count: STREAMS })
    await delay(SETTLE_MS) // what is open costs something; that it was opened is another matter
    try {
      return await work()
    } finally {
      await readers.call('unsubscribe')
      await delay(200)
    }
  }
  bench.say(`the same with ${STREAMS} readers of the live stream`)
  // Longer than elsewhere: code that was compiled for one kind of request is compiled anew when another kind has come, once.
  const long = () => fire(site, { seconds: 2 * bench.settings.restSeconds })
  const ways = {
    'without streams': long,
    'with streams of other topics': () =>
      among(`${targets.stream}?topic=incidents,definitions,schedules,cluster`, long),
  }
  for (const way of Object.values(ways)) await way()
  const rate = await rates(site, ways)
  bench.figure({
    what: `start to end over HTTP with ${STREAMS} streams open`,
    value: rate['with streams of other topics'],
    unit: '/s',
    ratio: rate['with streams of other topics'] / rate['without streams'],
    against: 'without',
    target: { of: 'ratio', least: 0.9 },
  })
  const paced = most / 20
  const all = await measured(site, 'with streams of everything', 0, () =>
    among(targets.stream, () => fire(site, { rate: paced })),
  )
  const alone = await measured(site, 'without streams, paced', 0, () => fire(site, { rate: paced }))
  bench.figure({
    what: `${Math.round(paced)} starts a second, ${STREAMS} streams of every fact, median`,
    value: all.p50Ms,
    unit: 'ms',
    ratio: all.p50Ms / alone.p50Ms,
    against: 'without',
  })
}

async function reads(site) {
  const { bench, targets } = site
  const read = (url) => () => fire(site, { url, body: undefined })
  const ways = { 'reads of an instance': read(targets.read), 'reads of a bare route': read(targets.bare) }
  bench.say(`${CALLERS} callers read one instance`)
  for (const way of Object.values(ways)) await way()
  const rate = await rates(site, ways)
  bench.figure({
    what: `reads of a hot instance over HTTP, ${CALLERS} callers`,
    value: rate['reads of an instance'],
    unit: '/s',
    ratio: rate['reads of an instance'] / rate['reads of a bare route'],
    against: 'bare Fastify route',
    target: { of: 'ratio', least: 0.7 },
  })
}

/** From the start of a process to its first answer. */
async function startUp({ bench, postgres }) {
  const { waitingInstances, rounds } = bench.settings
  bench.say(`start-up with ${waitingInstances} waiting instances, and with none`)
  const urls = { none: await postgres.createDatabase('start_none'), full: await postgres.createDatabase('start_full') }
  for (const url of Object.values(urls)) await (await bench.engine('rest', { url }, 'first start')).stop()
  const session = await postgres.connect(urls.full)
  await seed(session, waitingInstances)
  await session.query('checkpoint') // what was filled in is on its disk, as it would be
  await session.stop()
  const took = await interleave(STARTS_A_ROUND * rounds, new Map(Object.entries(urls)), async (url, name, round) => {
    const from = performance.now()
    const node = await bench.engine('rest', { url }, `start ${name}`)
    const tookMs = performance.now() - from
    await node.stop()
    bench.round(`start-up, ${name}`, { round, tookMs })
    return tookMs
  })
  const [none, full] = [median(took.get('none')), median(took.get('full'))]
  bench.figure({
    what: `start-up with ${waitingInstances} waiting instances`,
    value: full,
    unit: 'ms',
    ratio: full / none,
    against: 'with none',
    target: { of: 'ratio', most: 1.2 },
  })
}
