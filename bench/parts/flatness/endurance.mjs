import { startMeter } from '../../measure/processor.mjs'

const CALLERS = 64
const MINUTE_MS = 60_000

/** The tenth minute of load beside the first: rate, and memory of the process. */
export async function measureEndurance(bench, postgres, engine) {
  const { minutes } = bench.settings
  const count = Math.max(2, Math.round(minutes))
  const windowMs = (minutes / count) * MINUTE_MS
  const measured = []
  for (let minute = 1; minute <= count; minute += 1) {
    const meter = startMeter({ engine: [engine.pid], postgres: postgres.pids })
    const { perSecond } = await engine.call('load', { callers: CALLERS, rampMs: 0, windowMs }, windowMs + 60_000)
    const result = { minute, perSecond, rssBytes: await engine.call('memory'), ...meter.stop() }
    bench.round('endurance', result)
    bench.say(`minute ${minute}: ${Math.round(perSecond)} workflows/s, ${Math.round(result.rssBytes / 1e6)} MB`)
    measured.push(result)
  }
  const [first, last] = [measured[0], measured.at(-1)]
  bench.figure({
    what: `throughput in minute ${last.minute}`,
    value: last.perSecond,
    unit: 'workflows/s',
    ratio: last.perSecond / first.perSecond,
    against: 'minute 1',
    target: { of: 'ratio', least: 0.9 },
  })
  bench.figure({
    what: `memory after minute ${last.minute}`,
    value: last.rssBytes / 1e6,
    unit: 'MB',
    ratio: last.rssBytes / first.rssBytes,
    against: 'minute 1',
  })
}
