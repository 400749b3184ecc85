// A parallel for-each, one instance: ten times as many turns side by side must take ten times as long and as much memory.
import { median } from '../measure/statistics.mjs'

/** What the turns do: each is a way of its own through the engine. */
const bodies = {
  'wide-effect': 'an effect each',
  'wide-inline': 'two steps without effect each, collected',
  'wide-delay': 'a delay each, then an effect',
  'wide-retry': 'an effect that fails once',
  'wide-timeout': 'a wait for an event that is over after a second',
}

export async function run(bench) {
  const { wide, rounds } = bench.settings
  const narrow = Math.ceil(wide / 10)
  const postgres = await bench.postgres()
  const engine = await bench.engine('lockstep', { url: await postgres.createDatabase('lockstep') })
  for (const [definitionId, what] of Object.entries(bodies)) {
    bench.say(`${what}: ${narrow} and ${wide} turns side by side, ${rounds} times`)
    await engine.call('wide', { definitionId, width: narrow })
    const perTurn = { narrow: [], wide: [] }
    for (let round = 0; round < rounds; round += 1) {
      // By the processor time of the engine: what waits, or gives way to others on the machine, does not count.
      const cost = async (width, times) => {
        let cpuUs = 0
        for (let part = 0; part < times; part += 1) cpuUs += await engine.call('wide', { definitionId, width })
        return cpuUs / (width * times)
      }
      const narrowUs = await cost(narrow, 10)
      const wideUs = await cost(wide, 1)
      bench.round(definitionId, { round, narrow, wide, narrowUs, wideUs })
      perTurn.narrow.push(narrowUs)
      perTurn.wide.push(wideUs)
    }
    bench.figure({
      what: `turn of ${wide.toLocaleString('en-US')} side by side: ${what}`,
      value: median(perTurn.wide),
      unit: 'µs of CPU',
      ratio: median(perTurn.wide.map((each, round) => each / perTurn.narrow[round])),
      against: `${narrow.toLocaleString('en-US')} side by side`,
      target: { of: 'ratio', most: 1.5 },
    })
  }
  await measureMemory(bench, engine, narrow, wide)
}

/** What an instance takes in memory whose turns all wait. */
async function measureMemory(bench, engine, narrow, wide) {
  bench.say(`memory of ${narrow} and of ${wide} turns that wait`)
  await engine.call('wideMemory', { width: narrow })
  const of = async (width) => (await engine.call('wideMemory', { width })) / width
  const small = await of(narrow)
  const large = await of(wide)
  bench.round('memory', { narrow, wide, small, large })
  bench.figure({
    what: `memory of a turn that waits, of ${wide.toLocaleString('en-US')}`,
    value: large,
    unit: 'bytes',
    ratio: large / small,
    against: `${narrow.toLocaleString('en-US')} side by side`,
    target: { of: 'ratio', most: 1.5 },
  })
}
