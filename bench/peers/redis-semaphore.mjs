// redis-semaphore on ioredis, with its defaults (it polls every 10 ms).
import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { contend } from '../measure/contend.mjs'
import { answer } from '../process/answer.mjs'

let client

async function pair(name) {
  const mutex = new Mutex(client, name)
  await mutex.acquire()
  await mutex.release()
}

answer({
  async open({ redisUrl }) {
    client = new Redis(redisUrl)
    await client.ping()
  },
  load({ callers, rampMs, windowMs }) {
    let next = 0
    return closedLoop({ callers, rampMs, windowMs, once: () => pair(`semaphore:${next++ % callers}`) })
  },
  pairs: ({ count }) => oneAtATime(count, () => pair('semaphore:one')),
  contend: ({ waiters, holdMs, seconds, name }) =>
    contend({
      waiters,
      holdMs,
      seconds,
      async acquire() {
        const mutex = new Mutex(client, name, { acquireTimeout: 60_000 })
        await mutex.acquire()
        return () => mutex.release()
      },
    }),
  async close() {
    client?.disconnect()
  },
})
