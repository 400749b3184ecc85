// Lockstep under a steady load, so many starts a second whatever became of those before, with the time of each commit.
import { setTimeout as delay } from 'node:timers/promises'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { engineLanes, migrate, openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { answer } from '../process/answer.mjs'
import { three } from './lockstep-programs.mjs'

const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
/** Beside a node that is stopped for seconds at a time and must not be taken for dead. */
const times = { heartbeatMs: 60_000, ttlMs: 600_000 }
let db
let engine
let load
let loading = false
/** Milliseconds of each commit, by the phase in which it began. */
const commitsMs = {}
let phase

function timed(store) {
  const commit = async (batch) => {
    const tookMs = phase === undefined ? undefined : commitsMs[phase]
    const from = performance.now()
    const verdicts = await store.commits.commit(batch)
    tookMs?.push(performance.now() - from)
    return verdicts
  }
  return { ...store, commits: { ...store.commits, commit } }
}

async function keepStarting(perSecond) {
  const running = new Set()
  let next = performance.now()
  while (loading) {
    const early = next - performance.now()
    if (early > 0) {
      await delay(Math.max(1, early))
      continue
    }
    next += 1_000 / perSecond
    const one = engine
      .start({ definitionId: 'three', input: { n: 1 } })
      .then(({ instanceId, here }) => engine.waitForEnd(instanceId, { here }))
      .finally(() => running.delete(one))
    running.add(one)
  }
  await Promise.all(running)
}

answer({
  async open({ url }) {
    db = await openPostgres({ lanes: engineLanes, url, applicationName: 'lockstep:bench', ...common })
    await migrate(db, { mode: 'auto', ...common })
    const store = timed(postgresEngineStore(db))
    const retention = { sweep: false }
    engine = await Engine.open({ store, ...common, workflows: [three], retention, ...times })
  },
  begin({ perSecond }) {
    loading = true
    load = keepStarting(perSecond)
    load.catch(() => undefined) // `end` tells
  },
  /** Without a name commits are not counted. */
  phase({ name }) {
    phase = name
    if (name !== undefined) commitsMs[name] ??= []
  },
  async end() {
    loading = false
    await load
    return commitsMs
  },
  async close() {
    loading = false
    await engine?.close(1_000)
    await db?.close()
  },
})
