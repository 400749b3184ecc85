// A node that does nothing but delete what has expired.
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { openPostgres, postgresEngineStore } from '@lockstep/postgres'
import { answer } from '../process/answer.mjs'

const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
/** It is stopped for seconds at a time: nobody must take it for dead. */
const times = { heartbeatMs: 60_000, ttlMs: 600_000 }
let db
let engine

answer({
  async open({ url, keep }) {
    db = await openPostgres({ url, applicationName: 'lockstep:bench-sweeper', ...common })
    const retention = { keep: { completed: keep } }
    engine = await Engine.open({ store: postgresEngineStore(db), ...common, retention, ...times })
  },
  sweep: () => engine.retention.sweep(),
  async close() {
    await engine?.close(0)
    await db?.close()
  },
})
