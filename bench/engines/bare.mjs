// The bare limit: a group-commit loop with nothing around it, doing the same durable commits as an engine would.
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock, systemRandom, uuidSource } from '@lockstep/base'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'
import { openConnections } from './bare/connections.mjs'
import { groupCommit } from './bare/group-commit.mjs'

const newId = uuidSource(systemClock, systemRandom)
let connections
let commit

/** Four durable commits: start, step 1, step 2, step 3 with the end. */
async function threeSteps(index) {
  const id = newId()
  await commit(id, 1, `{"input":{"n":${index}}}`)
  for (let step = 1; step <= 3; step += 1) {
    const output = await trivial(index + step)
    await commit(id, step + 1, `{"step":"s${step}","output":${output}}`, step === 3)
  }
}

const trivial = async (value) => value + 1

answer({
  async open({ url, dataDir, flushers = 2 }) {
    connections = await openConnections({ url, dataDir, flushers, node: newId() })
    commit = groupCommit(connections.flushes)
  },
  load: ({ callers, rampMs, windowMs }) => closedLoop({ callers, rampMs, windowMs, once: threeSteps }),
  once: ({ count }) => oneAtATime(count, threeSteps),
  /** Starts `count` instances as fast as they can be made durable. Answers seconds. */
  async bulk({ count }) {
    const from = performance.now()
    await Promise.all(Array.from({ length: count }, (_, index) => commit(newId(), 1, `{"input":{"n":${index}}}`)))
    return { seconds: (performance.now() - from) / 1000 }
  },
  /** Timers kept in memory only: how late, by the database's clock, the commit after each of them is. Both clocks are this machine's. */
  async timers({ delaysMs }) {
    return Promise.all(
      delaysMs.map(async (ms) => {
        const id = newId()
        const dueAt = (await commit(id, 1, `{"wait":${ms}}`)) + ms
        await delay(Math.ceil(dueAt - Date.now()))
        return (await commit(id, 2, '{"by":"timer"}', true)) - dueAt
      }),
    )
  },
  async close() {
    await connections?.close()
  },
})
