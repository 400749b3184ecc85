import { median } from '../../measure/statistics.mjs'

/** Steps that are looked at around each place: one step alone says nothing. */
const WINDOW = 100
const EARLY = 5

/** Step 5,000 of one instance must cost what step 5 costs. */
export async function measureSteps(bench, engine) {
  const { steps, rounds } = bench.settings
  bench.say(`one instance of ${steps} steps, ${rounds} times`)
  await engine.call('steps', { steps: WINDOW })
  const early = []
  const late = []
  for (let round = 0; round < rounds; round += 1) {
    const tookMs = await engine.call('steps', { steps: steps + WINDOW / 2 })
    const first = median(tookMs.slice(EARLY, EARLY + WINDOW))
    const last = median(tookMs.slice(-WINDOW))
    bench.round('many steps', { round, steps, earlyMs: first, lateMs: last })
    early.push(first)
    late.push(last)
  }
  const value = median(late)
  bench.figure({
    what: `step ${steps.toLocaleString('en-US')}`,
    value,
    unit: 'ms',
    ratio: median(late.map((ms, round) => ms / early[round])),
    against: `step ${EARLY}`,
    target: { of: 'ratio', most: 1.2 },
  })
}

/** A loop of ten times as many turns must take ten times as long. */
export async function measureLoop(bench, engine) {
  const { loop, rounds } = bench.settings
  const short = Math.ceil(loop / 10)
  bench.say(`a for-each of ${short} and of ${loop} turns, ${rounds} times`)
  await engine.call('loop', { items: short })
  const perTurn = { short: [], long: [] }
  for (let round = 0; round < rounds; round += 1) {
    // As much work on either side, or the short one would be over before it is warm.
    let shortMs = 0
    for (let part = 0; part < 10; part += 1) shortMs += await engine.call('loop', { items: short })
    const longMs = await engine.call('loop', { items: loop })
    bench.round('loop', { round, loop, shortMs: shortMs / 10, longMs })
    perTurn.short.push(shortMs / 10 / short)
    perTurn.long.push(longMs / loop)
  }
  const value = median(perTurn.long) * 1000
  bench.figure({
    what: `turn of a loop of ${loop.toLocaleString('en-US')}`,
    value,
    unit: 'µs',
    ratio: median(perTurn.long.map((each, round) => each / perTurn.short[round])),
    against: `loop of ${short.toLocaleString('en-US')}`,
    target: { of: 'ratio', most: 1.2 },
  })
}
