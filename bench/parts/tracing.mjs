// What tracing costs where nobody traces: the engine as it is beside the same engine with its hooks taken out.
import { interleave } from '../measure/interleave.mjs'
import { warmUp } from '../measure/load-round.mjs'
import { startMeter } from '../measure/processor.mjs'
import { median } from '../measure/statistics.mjs'

const CALLERS = 64
/** The difference is small: more rounds than others need, and pairs of neighbours are compared. */
const TIMES_ROUNDS = 4

export async function run(bench) {
  const { rounds, rampMs, windowMs } = bench.settings
  const postgres = await bench.postgres()
  const open = async (kind, name) => {
    const engine = await bench.engine(kind, { url: await postgres.createDatabase(kind) }, name)
    return [name, { engine, args: { callers: CALLERS } }]
  }
  const competitors = new Map([await open('lockstep', 'tracing off'), await open('unhooked', 'no hooks')])
  bench.say(`warming up, then ${rounds * TIMES_ROUNDS} rounds of ${competitors.size} competitors`)
  await warmUp(bench, competitors)
  const measured = await interleave(rounds * TIMES_ROUNDS, competitors, async ({ engine, args }, name, round) => {
    const meter = startMeter({ engine: [engine.pid] })
    const { perSecond, total } = await engine.call('load', { ...args, rampMs, windowMs })
    const shares = meter.stop()
    const answer = { perSecond, engineMsEach: (shares.engineCores * shares.seconds * 1_000) / total }
    bench.round(name, { round, total, ...shares, ...answer })
    return answer
  })
  const off = measured.get('tracing off')
  const bare = measured.get('no hooks')
  const figure = (what, key, unit, target) =>
    bench.figure({
      ...{ what, unit, target, against: 'no hooks' },
      value: median(off.map((each) => each[key])),
      ratio: median(off.map((each, round) => each[key] / bare[round][key])),
    })
  figure('processor time of the engine per workflow, tracing off', 'engineMsEach', 'ms', { of: 'ratio', most: 1.02 })
  figure(`functions, ${CALLERS} callers, tracing off`, 'perSecond', 'workflows/s', { of: 'ratio', least: 0.98 })
}
