// DBOS on PostgreSQL, as its documentation composes it: workflows started directly, default pool.
import { setTimeout as delay } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'

const trivial = async (value) => value + 1

async function three(n) {
  const a = await DBOS.runStep(() => trivial(n), { name: 's1' })
  const b = await DBOS.runStep(() => trivial(a), { name: 's2' })
  return DBOS.runStep(() => trivial(b), { name: 's3' })
}

const threeSteps = DBOS.registerWorkflow(three, { name: 'three' })
const waiter = DBOS.registerWorkflow(() => DBOS.recv('go', 60), { name: 'waiter' })

async function toEnd(n) {
  const handle = await DBOS.startWorkflow(threeSteps)(n)
  await handle.getResult()
}

answer({
  async open({ url }) {
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: url,
      logLevel: 'error',
      applicationVersion: 'bench',
      executorID: 'bench',
      runAdminServer: false,
    })
    await DBOS.launch()
  },
  load: ({ callers, rampMs, windowMs }) => closedLoop({ callers, rampMs, windowMs, once: toEnd }),
  once: ({ count }) => oneAtATime(count, toEnd),
  async signal({ count }) {
    const tookMs = []
    for (let index = 0; index < count; index += 1) {
      const handle = await DBOS.startWorkflow(waiter)()
      await delay(20) // no state tells that it has begun to wait
      const from = performance.now()
      await DBOS.send(handle.workflowID, { index }, 'go')
      await handle.getResult()
      tookMs.push(performance.now() - from)
    }
    return tookMs
  },
  close: () => DBOS.shutdown(),
})
