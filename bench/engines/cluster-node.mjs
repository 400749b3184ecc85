// One node of several on one database, with the heart and the wake-ups of a deployment. Times are of the machine's monotonic clock, which all
// processes share: what one node notes another can be compared with.
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import {
  engineLanes,
  historyGuard,
  migrate,
  openPostgres,
  postgresEngineStore,
  postgresHeart,
  postgresWakeBus,
} from '@lockstep/postgres'
import { redisBus } from '@lockstep/redis'
import { closedLoop } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'
import { sleeper, three, waiter } from './lockstep-programs.mjs'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const CONCURRENCY = 512
const now = () => Number(process.hrtime.bigint()) / 1e6
let db
let bus
let engine
/** Where steps of a node stand that is to be killed. */
let stands = false

const beginning = workflow('beginning', (ctx) => ctx.step('begin', () => now()))
const standing = workflow('standing', (ctx) => ctx.step('begin', () => (stands ? new Promise(() => {}) : now())))

answer({
  async open({ url, name, redisUrl, roles }) {
    const guard = historyGuard()
    const application = `lockstep:bench:${name}:${process.pid}`
    const onConnect = (queries) => guard.check(queries)
    db = await openPostgres({ lanes: engineLanes, url, applicationName: application, onConnect, ...edge })
    await migrate(db, { mode: 'auto', ...edge })
    bus =
      redisUrl === undefined
        ? await postgresWakeBus(db, systemClock, silentLogger)
        : await redisBus({ url: redisUrl, prefix: 'bench', ...edge })
    engine = await Engine.open({
      ...edge,
      ...{ name, bus, concurrency: CONCURRENCY, flights: 2 },
      ...(roles && { roles }),
      store: postgresEngineStore(db, { guard, application }),
      heart: postgresHeart({ url, application, ...edge }),
      workflows: [three, waiter, sleeper, beginning, standing],
    })
  },
  load: ({ callers, rampMs, windowMs }) =>
    closedLoop({
      ...{ callers, rampMs, windowMs },
      once: async (n) => {
        const { instanceId, here } = await engine.start({ definitionId: 'three', input: { n } })
        await engine.waitForEnd(instanceId, { here })
      },
    }),
  stand: () => {
    stands = true
  },
  async start({ definitionId, count, input }) {
    const requests = Array.from({ length: count }, () => ({ definitionId, input }))
    return (await Promise.all(requests.map((request) => engine.start(request)))).map((each) => each.instanceId)
  },
  statuses: async ({ ids }) => (await Promise.all(ids.map((id) => engine.get(id)))).map((each) => each.status),
  /** Of instances that this node has not in memory: milliseconds from the call to the end. */
  async resume({ ids }) {
    const tookMs = []
    for (const instanceId of ids) {
      const ended = engine.waitForEnd(instanceId, { here: true })
      const from = now()
      await engine.resume({ instanceId, bookmark: 'go' })
      await ended
      tookMs.push(now() - from)
    }
    return tookMs
  },
  /** Where this node runs nothing: milliseconds from the answer to a start until its step has begun elsewhere. */
  async wake({ count }) {
    const tookMs = []
    for (let each = 0; each < count; each += 1) {
      const { instanceId } = await engine.start({ definitionId: 'beginning' })
      const from = now()
      tookMs.push((await engine.waitForEnd(instanceId)).output - from)
    }
    return tookMs
  },
  /** When each began, by the clock of the machine. */
  async begun({ ids }) {
    const ends = await Promise.all(ids.map((id) => engine.waitForEnd(id, { limitMs: 60_000 })))
    return ends.map((end) => end?.output)
  },
  now: () => now(),
  held: () => engine.stats.heldCount,
  async drain() {
    const from = now()
    await engine.retire()
    return { from, tookMs: now() - from }
  },
  async close() {
    await engine.close(1_000)
    await bus.close()
    await db.close()
  },
})
