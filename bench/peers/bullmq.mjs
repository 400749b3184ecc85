// BullMQ on Redis: three jobs, each of which adds the next. Not one durable workflow, but what people build with queues.
import { setTimeout as delay } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'

const CONCURRENCY = 50
const BULK = 500
const defaultJobOptions = { removeOnComplete: true }
const ends = new Map()
const lateMs = []
const closing = []
let chain
let singles
let timers
let nextKey = 0
let doneCount = 0

async function step(job) {
  const { key, number } = job.data
  if (number < 3) await chain.add('step', { key, number: number + 1 })
  else {
    ends.get(key)?.()
    ends.delete(key)
  }
  return number
}

async function toEnd() {
  const key = nextKey
  nextKey += 1
  const ended = new Promise((resolve) => ends.set(key, resolve))
  await chain.add('step', { key, number: 1 })
  await ended
}

async function until(condition) {
  while (!condition()) await delay(2)
}

answer({
  async open({ url }) {
    const { hostname: host, port } = new URL(url)
    const connection = { host, port: Number(port), maxRetriesPerRequest: null }
    const queue = (name) => new Queue(name, { connection, defaultJobOptions })
    const worker = (name, run) => new Worker(name, run, { connection, concurrency: CONCURRENCY })
    chain = queue('chain')
    singles = queue('singles')
    timers = queue('timers')
    const single = worker('singles', async (job) => job.data.n + 1)
    single.on('completed', () => {
      doneCount += 1
    })
    const workers = [
      worker('chain', step),
      single,
      worker('timers', async (job) => lateMs.push(Date.now() - job.data.due)),
    ]
    await Promise.all(workers.map((each) => each.waitUntilReady()))
    closing.push(...workers, chain, singles, timers)
  },
  load: ({ callers, rampMs, windowMs }) => closedLoop({ callers, rampMs, windowMs, once: toEnd }),
  once: ({ count }) => oneAtATime(count, toEnd),
  async bulk({ count }) {
    doneCount = 0
    const from = performance.now()
    for (let first = 0; first < count; first += BULK) {
      const size = Math.min(BULK, count - first)
      await singles.addBulk(Array.from({ length: size }, (_, n) => ({ name: 'one', data: { n: first + n } })))
    }
    const seconds = (performance.now() - from) / 1000
    await until(() => doneCount >= count)
    return { seconds, endedSeconds: (performance.now() - from) / 1000 }
  },
  async timers({ delaysMs }) {
    lateMs.length = 0
    for (let first = 0; first < delaysMs.length; first += BULK) {
      const now = Date.now()
      const part = delaysMs.slice(first, first + BULK)
      await timers.addBulk(part.map((ms) => ({ name: 'timer', data: { due: now + ms }, opts: { delay: ms } })))
    }
    await until(() => lateMs.length >= delaysMs.length)
    return lateMs
  },
  close: () => Promise.all(closing.map((each) => each.close())),
})
