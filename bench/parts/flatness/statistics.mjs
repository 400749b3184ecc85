import { measureLoad } from '../../measure/load-round.mjs'

const CALLERS = 256

/**
 * The agenda is empty whenever all is done, and a vacuum that comes just then tells the planner so. Plans made from that
 * must not be worse than others once the agenda fills again. Without truncation the table keeps its pages, which is the
 * harder case: the planner then believes in pages without rows instead of guessing.
 */
export async function measureStatistics(bench, postgres, { engine, session }) {
  const competitor = (vacuum) => ({
    engine,
    args: { callers: CALLERS },
    postgres,
    prepare: () => session.query(`${vacuum} lockstep.agenda`),
  })
  const good = 'three steps, agenda truncated'
  const hard = 'three steps, agenda vacuumed while empty'
  bench.say('throughput after a vacuum of the empty agenda')
  const measured = await measureLoad(
    bench,
    new Map([
      [good, competitor('vacuum')],
      [hard, competitor('vacuum (truncate false)')],
    ]),
  )
  const value = measured.get(hard).perSecond
  bench.figure({
    what: 'throughput, agenda vacuumed while empty',
    value,
    unit: 'workflows/s',
    ratio: value / measured.get(good).perSecond,
    against: 'agenda truncated',
    target: { of: 'ratio', least: 0.8 },
  })
  await session.query('vacuum lockstep.agenda')
}
