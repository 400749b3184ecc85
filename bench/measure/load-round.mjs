import { interleave } from './interleave.mjs'
import { startMeter } from './processor.mjs'
import { medians } from './statistics.mjs'

/**
 * One round under load of one competitor `{ engine, args, postgres?, redis?, prepare? }`: its rate, what it wrote to PostgreSQL per
 * workflow, and who used the processor meanwhile. Only one competitor works at a time, so the server's counters are its own.
 */
async function loadRound({ engine, args, postgres, redis, prepare }, { rampMs, windowMs }) {
  await prepare?.()
  const meter = startMeter({
    engine: [engine.pid],
    ...(postgres && { postgres: postgres.pids }),
    ...(redis && { redis: redis.pids }),
  })
  const before = await postgres?.counters()
  const { perSecond, total, commits } = await engine.call('load', { ...args, rampMs, windowMs })
  const after = await postgres?.counters()
  const shares = meter.stop()
  const cores = [shares.engineCores, shares.postgresCores, shares.redisCores].reduce(
    (sum, share) => sum + (share ?? 0),
    0,
  )
  return {
    perSecond,
    total,
    ...shares,
    cpuMsEach: (cores * shares.seconds * 1000) / total,
    ...(commits !== undefined && { commitsEach: commits / total }),
    ...(postgres && { walEach: (after.wal - before.wal) / total, writesEach: (after.writes - before.writes) / total }),
  }
}

/** All competitors, interleaved: a map from name to the medians of their rounds. Every round goes into the results. */
export async function measureLoad(bench, competitors) {
  const { settings } = bench
  const rounds = await interleave(settings.rounds, competitors, async (competitor, name, round) => {
    const measured = await loadRound(competitor, settings)
    bench.round(name, { round, ...measured })
    return measured
  })
  const middle = new Map([...rounds].map(([name, measured]) => [name, medians(measured)]))
  for (const [name, measured] of middle) bench.load(name, measured)
  return middle
}

/** Uncounted work, so that code is compiled, pools are filled and pages are allocated before the first round. */
export async function warmUp(bench, competitors) {
  const { warmMs } = bench.settings
  for (const { engine, args } of competitors.values()) {
    await engine.call('load', { ...args, rampMs: 0, windowMs: warmMs })
  }
}
