// Reads of one hot instance: statements per read and time per read inside the process, with and without what is kept in memory.
import { startMeter } from '../measure/processor.mjs'
import { median, percentile } from '../measure/statistics.mjs'

const ways = { without: 'from the database', exact: 'looked at each time', with: 'hot' }

export async function run(bench) {
  const { reads, rounds } = bench.settings
  const postgres = await bench.postgres()
  const reader = await bench.engine('reader', { url: await postgres.createDatabase('lockstep') })
  for (const callers of [1, 32]) {
    bench.say(`${reads} reads of one instance by ${callers} at once, ${rounds} rounds`)
    const took = { without: [], exact: [], with: [] }
    for (const way of Object.keys(ways)) await reader.call(way, { count: Math.ceil(reads / 10), callers })
    for (let round = 1; round <= rounds; round += 1) {
      for (const way of Object.keys(ways)) {
        const meter = startMeter({ engine: [reader.pid], postgres: postgres.pids })
        const { tookMs, perRead } = await reader.call(way, { count: reads, callers })
        const summary = { perRead, medianMs: median(tookMs), p99Ms: percentile(tookMs, 99) }
        bench.round(`${ways[way]}, ${callers} at once`, { round, ...summary, ...meter.stop() })
        took[way].push(summary)
      }
    }
    const of = (way, what) => median(took[way].map((each) => each[what]))
    for (const way of ['exact', 'with']) {
      const statements = of(way, 'perRead')
      bench.figure({
        what: `statements per read, ${ways[way]}, ${callers} at once`,
        value: statements,
        unit: '',
        ratio: statements / of('without', 'perRead'),
        against: 'without',
        ...(way === 'with' && { target: { of: 'ratio', most: 0.1 } }),
      })
      bench.figure({
        what: `time of a read, ${ways[way]}, ${callers} at once, median`,
        value: of(way, 'medianMs'),
        unit: 'ms',
        ratio: of(way, 'medianMs') / of('without', 'medianMs'),
        against: 'without',
        ...(way === 'with' && { target: { of: 'value', most: 1 } }),
      })
    }
  }
}
