// The toolkit in a process of its own, on Redis or PostgreSQL: pairs of acquire and release, hand-over, renewal of many leases.
import { setTimeout as delay } from 'node:timers/promises'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { coordinator } from '@lockstep/coordination'
import { engineLanes, migrate, openPostgres, postgresCoordination } from '@lockstep/postgres'
import { redisProvider } from '@lockstep/redis'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { contend } from '../measure/contend.mjs'
import { answer } from '../process/answer.mjs'

const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
let db
let provider
let locks

answer({
  async open({ redisUrl, databaseUrl }) {
    if (redisUrl !== undefined) provider = await redisProvider({ url: redisUrl, ...common })
    else {
      db = await openPostgres({ lanes: engineLanes, url: databaseUrl, applicationName: 'lockstep:bench', ...common })
      await migrate(db, { mode: 'auto', ...common })
      provider = postgresCoordination(db, common)
    }
    locks = coordinator({ provider, ownsProvider: true, ...common })
  },
  load({ callers, rampMs, windowMs }) {
    const mutexes = Array.from({ length: callers }, (_, index) => locks.mutex(`pair:${index}`))
    let next = 0
    const once = async () => {
      const mutex = mutexes[next++ % callers]
      const lease = await mutex.acquire()
      await lease.release()
    }
    return closedLoop({ callers, rampMs, windowMs, once })
  },
  pairs: ({ count }) =>
    oneAtATime(count, async () => {
      const lease = await locks.mutex('one').acquire()
      await lease.release()
    }),
  contend({ waiters, holdMs, seconds, name }) {
    const mutex = locks.mutex(name)
    const acquire = async () => {
      const lease = await mutex.acquire()
      return () => lease.release()
    }
    return contend({ waiters, holdMs, seconds, acquire })
  },
  /** Takes `count` leases and keeps them; whoever measures looks at the processor meanwhile. */
  async hold({ count, ttlMs, seconds }) {
    const leases = await Promise.all(
      Array.from({ length: count }, (_, index) => locks.mutex(`held:${index}`).acquire({ ttlMs })),
    )
    const before = process.cpuUsage()
    const from = performance.now()
    await delay(seconds * 1000)
    const used = process.cpuUsage(before)
    const cores = (used.user + used.system) / 1000 / (performance.now() - from)
    const lost = leases.filter((lease) => lease.remainingMs() <= 0).length
    await Promise.all(leases.map((lease) => lease.release()))
    return { cores, lost }
  },
  async close() {
    await locks?.close()
    await db?.close()
  },
})
