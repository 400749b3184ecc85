// redlock on one ioredis client, with its defaults but for the number of attempts, which must outlast the waiting.
import { Redis } from 'ioredis'
import Redlock from 'redlock'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { contend } from '../measure/contend.mjs'
import { answer } from '../process/answer.mjs'

let client
let redlock

async function pair(name) {
  const lock = await redlock.acquire([name], 30_000)
  await lock.release()
}

answer({
  async open({ redisUrl }) {
    client = new Redis(redisUrl)
    await client.ping()
    redlock = new Redlock([client], { retryCount: 1_000 })
    redlock.on('error', () => {})
  },
  load({ callers, rampMs, windowMs }) {
    let next = 0
    return closedLoop({ callers, rampMs, windowMs, once: () => pair(`redlock:${next++ % callers}`) })
  },
  pairs: ({ count }) => oneAtATime(count, () => pair('redlock:one')),
  contend: ({ waiters, holdMs, seconds, name }) =>
    contend({
      waiters,
      holdMs,
      seconds,
      async acquire() {
        const lock = await redlock.acquire([name], 30_000)
        return () => lock.release()
      },
    }),
  async close() {
    client?.disconnect()
  },
})
