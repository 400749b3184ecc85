// Lockstep in a process of its own: one node with the default composition, on a server or embedded.
import { setTimeout as delay } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import {
  engineLanes,
  engineSettings,
  migrate,
  openPglite,
  openPostgres,
  postgresEngineStore,
  postgresWakeBus,
} from '@lockstep/postgres'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'
import { loadFastify } from '../servers/driver.mjs'
import {
  activities,
  loopGraph,
  many,
  one,
  sleeper,
  stepsMs,
  three,
  threeGraph,
  waiter,
  wideGraphs,
} from './lockstep-programs.mjs'

// Without the flag the process would have to be started with.
v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc')

const common = { clock: systemClock, random: systemRandom, logger: silentLogger }
/** Above the most callers of any part: what is measured is the engine, not its limit for running code. */
const CONCURRENCY = 512
let db
let bus
let store
let engine
let bare

async function toEnd(definitionId, input) {
  const { instanceId } = await engine.start({ definitionId, input })
  const end = await engine.waitForEnd(instanceId, { here: true })
  if (end?.status !== 'completed') throw new Error(`${definitionId} ended as ${JSON.stringify(end)}`)
  return end.output
}

async function until(condition) {
  while (!(await condition())) await delay(1)
}

/** Waits for a signal, gets it, ends: milliseconds from the sending to the end. */
async function signalled(how, index) {
  const correlationId = `signal-${index}`
  const { instanceId } = await engine.start({ definitionId: 'waiter', correlationId })
  await until(async () => (await engine.get(instanceId)).status === 'suspended')
  const ended = engine.waitForEnd(instanceId, { here: true })
  const from = performance.now()
  if (how === 'publish') await engine.publish({ name: 'go', correlationId, payload: { index } })
  else await engine.resume({ instanceId, payload: { index } })
  await ended
  return performance.now() - from
}

answer({
  async open({ url, dataDir }) {
    const applicationName = 'lockstep:bench'
    db =
      url === undefined
        ? await openPglite({ settings: engineSettings, dataDir, ...common })
        : await openPostgres({ lanes: engineLanes, url, applicationName, ...common })
    await migrate(db, { mode: 'auto', ...common })
    store = postgresEngineStore(db)
    bus = await postgresWakeBus(db, systemClock, silentLogger)
    const workflows = [three, one, waiter, sleeper, many]
    const flights = url === undefined ? 1 : 2
    engine = await Engine.open({ store, bus, ...common, workflows, activities, flights, concurrency: CONCURRENCY })
    for (const document of [threeGraph, loopGraph, ...wideGraphs]) {
      await engine.definitions.create('default', document)
      await engine.definitions.publish('default', document.id)
    }
  },
  async load({ definitionId = 'three', callers, rampMs, windowMs }) {
    const before = engine.stats
    const once = (n) => toEnd(definitionId, { n })
    const result = await closedLoop({ callers, rampMs, windowMs, once })
    const { flushCount, itemCount } = engine.stats
    return { ...result, commits: itemCount - before.itemCount, flushes: flushCount - before.flushCount }
  },
  /** The same over HTTP by a bare Fastify route, without anything that a server has around it: its address. */
  async listen() {
    bare = loadFastify()()
    bare.post('/starts', async ({ body }) => ({ output: await toEnd(body.definitionId, body.input) }))
    return `${await bare.listen({ host: '127.0.0.1', port: 0 })}/starts`
  },
  once: ({ definitionId = 'three', count }) => oneAtATime(count, (n) => toEnd(definitionId, { n })),
  async signal({ how, count, offset }) {
    const tookMs = []
    for (let index = 0; index < count; index += 1) tookMs.push(await signalled(how, offset + index))
    return tookMs
  },
  /** Settles when every timer has fired and its instance has ended. */
  async timers({ delaysMs }) {
    const started = await engine.startMany(delaysMs.map((ms) => ({ definitionId: 'sleeper', input: { ms } })))
    await Promise.all(started.map(({ instanceId }) => engine.waitForEnd(instanceId, { here: true, limitMs: 60_000 })))
  },
  async bulk({ count }) {
    const from = performance.now()
    const started = await engine.startMany(
      Array.from({ length: count }, (_, n) => ({ definitionId: 'one', input: { n } })),
    )
    const seconds = (performance.now() - from) / 1000
    await Promise.all(started.map(({ instanceId }) => engine.waitForEnd(instanceId, { here: true })))
    return { seconds, endedSeconds: (performance.now() - from) / 1000 }
  },
  /** One event for all that wait: seconds until the publisher is answered, and until the last of them has ended. */
  async broadcast({ count }) {
    const started = await engine.startMany(Array.from({ length: count }, () => ({ definitionId: 'waiter' })))
    const last = started.at(-1).instanceId
    await until(async () => (await engine.get(last)).status === 'suspended')
    await delay(1_000)
    const ends = started.map(({ instanceId }) => engine.waitForEnd(instanceId, { here: true, limitMs: 120_000 }))
    const from = performance.now()
    await engine.publish({ name: 'go', payload: {} })
    const answeredSeconds = (performance.now() - from) / 1000
    const ended = (await Promise.all(ends)).filter((end) => end?.status === 'completed').length
    return { answeredSeconds, endedSeconds: (performance.now() - from) / 1000, ended }
  },
  async steps({ steps }) {
    await toEnd('many', { steps })
    return stepsMs
  },
  async loop({ items }) {
    const from = performance.now()
    const { sum } = await toEnd('loop-graph', { items: Array.from({ length: items }, () => 1) })
    if (sum !== items) throw new Error(`the loop counted ${sum} of ${items}`)
    return performance.now() - from
  },
  /** One instance whose turns all run side by side: microseconds of processor. */
  async wide({ definitionId, width }) {
    collectGarbage()
    const before = process.cpuUsage()
    const { count } = await toEnd(definitionId, { items: Array.from({ length: width }, (_, n) => n) })
    const { user, system } = process.cpuUsage(before)
    if (count !== width) throw new Error(`the loop counted ${count} of ${width}`)
    return user + system
  },
  /** What an instance takes whose turns all wait. */
  async wideMemory({ width }) {
    const usedBytes = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = usedBytes()
    const items = Array.from({ length: width }, (_, n) => n)
    const { instanceId } = await engine.start({ definitionId: 'wide-wait', input: { items } })
    await until(async () => (await engine.get(instanceId)).status === 'suspended')
    await delay(200)
    const taken = usedBytes() - before
    const ended = engine.waitForEnd(instanceId, { here: true, limitMs: 60_000 })
    await engine.cancel(instanceId)
    await ended
    return taken
  },
  /** Claims in a queue that only the benchmark uses, under this node's own id. Milliseconds per call, and rows taken. */
  async claims({ queue, limit, calls }) {
    let rowCount = 0
    const request = { nodeId: engine.nodeId, queues: [queue], limit, aheadMs: 0, floorMs: undefined }
    const tookMs = await oneAtATime(calls, async () => {
      rowCount += (await store.agenda.claim(request)).length
    })
    return { tookMs, rowCount }
  },
  memory: () => process.memoryUsage().rss,
  async close() {
    await bare?.close()
    await engine?.close(5_000)
    await bus?.close()
    await db?.close()
  },
})
