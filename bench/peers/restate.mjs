// Restate: its own server and log, the code in a process beside it, request and response over HTTP as its clients do.
import './with-resolvers.mjs'
import { setTimeout as delay } from 'node:timers/promises'
import * as clients from '@restatedev/restate-sdk-clients'
import { closedLoop, oneAtATime } from '../measure/closed-loop.mjs'
import { answer } from '../process/answer.mjs'
import { steps, waiter } from './restate-programs.mjs'
import { startRestate } from './restate-server.mjs'

const FIRST_CALL_MS = 20_000
let server
let ingress
let service

const toEnd = (n) => service.three(n)

answer({
  async open() {
    server = await startRestate()
    ingress = clients.connect({ url: server.url })
    service = ingress.serviceClient(steps)
    // A service that was registered a moment ago is not yet known everywhere in the server.
    const deadline = performance.now() + FIRST_CALL_MS
    for (;;) {
      const failure = await toEnd(0).then(() => undefined, String)
      if (failure === undefined) return
      if (performance.now() > deadline) throw new Error(failure)
      await delay(200)
    }
  },
  load: ({ callers, rampMs, windowMs }) => closedLoop({ callers, rampMs, windowMs, once: toEnd }),
  once: ({ count }) => oneAtATime(count, toEnd),
  async signal({ count, offset }) {
    const tookMs = []
    for (let index = 0; index < count; index += 1) {
      const client = ingress.workflowClient(waiter, `signal-${offset + index}`)
      await client.workflowSubmit()
      const ended = client.workflowAttach()
      await delay(20)
      const from = performance.now()
      await client.go({ index })
      await ended
      tookMs.push(performance.now() - from)
    }
    return tookMs
  },
  close: () => server?.stop(),
})
