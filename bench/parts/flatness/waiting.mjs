import { interleave } from '../../measure/interleave.mjs'
import { measureLoad, warmUp } from '../../measure/load-round.mjs'
import { median } from '../../measure/statistics.mjs'
import { addDue, CLAIM_QUEUE, removeDue, seed } from './seed.mjs'

const CALLERS = 64
const CLAIM_LIMIT = 100
const CLAIM_CALLS = 20

/** The same work in two databases of one server, one of them full of instances that wait. */
export async function measureWaiting(bench, postgres, sides) {
  const { suspended } = bench.settings
  bench.say(`seeding ${suspended} waiting instances, and as many sleeping ones`)
  await seed(sides.full.session, suspended)
  await postgres.query('checkpoint')

  await load(bench, postgres, sides)
  await claims(bench, sides)
}

async function load(bench, postgres, { empty, full }) {
  const { suspended } = bench.settings
  const name = (count) => `three steps, ${count} waiting`
  const competitors = new Map([
    [name(0), { engine: empty.engine, args: { callers: CALLERS }, postgres }],
    [name(suspended), { engine: full.engine, args: { callers: CALLERS }, postgres }],
  ])
  await warmUp(bench, competitors)
  bench.say(`throughput with 0 and with ${suspended} waiting`)
  const measured = await measureLoad(bench, competitors)
  const value = measured.get(name(suspended)).perSecond
  bench.figure({
    what: `throughput, ${suspended.toLocaleString('en-US')} waiting`,
    value,
    unit: 'workflows/s',
    ratio: value / measured.get(name(0)).perSecond,
    against: '0 waiting',
    target: { of: 'ratio', least: 0.8 },
  })
}

async function claims(bench, sides) {
  const { suspended, rounds } = bench.settings
  const names = { empty: '0 waiting', full: `${suspended} waiting` }
  const competitors = new Map(Object.entries(sides).map(([side, value]) => [names[side], value]))
  bench.say('cost of a claim, with rows due and with none')
  const measured = await interleave(rounds * 2, competitors, async ({ engine, session }, name, round) => {
    await addDue(session, CLAIM_LIMIT * CLAIM_CALLS)
    const request = { queue: CLAIM_QUEUE, limit: CLAIM_LIMIT, calls: CLAIM_CALLS }
    const busy = await engine.call('claims', request)
    await removeDue(session)
    const idle = await engine.call('claims', request)
    if (busy.rowCount !== CLAIM_LIMIT * CLAIM_CALLS || idle.rowCount !== 0)
      throw new Error('claims took other rows than those that were due')
    const result = { busyMs: median(busy.tookMs), idleMs: median(idle.tookMs) }
    bench.round(`claim, ${name}`, { round, ...result })
    return result
  })
  const middle = (side, field) => median(measured.get(names[side]).map((each) => each[field]))
  // Both ways: a full agenda must not cost more, and neither must an empty one, whose statistics mislead the planner.
  const waiting = suspended.toLocaleString('en-US')
  for (const [field, what] of [
    ['busyMs', `claim of ${CLAIM_LIMIT} rows`],
    ['idleMs', 'claim that finds nothing'],
  ]) {
    const figure = (side, count, other, against) => {
      const value = middle(side, field)
      const ratio = value / middle(other, field)
      bench.figure({
        what: `${what}, ${count} waiting`,
        value,
        unit: 'ms',
        ratio,
        against,
        target: { of: 'ratio', most: 1.2 },
      })
    }
    figure('full', waiting, 'empty', '0 waiting')
    if (field === 'busyMs') figure('empty', '0', 'full', `${waiting} waiting`)
  }
}
