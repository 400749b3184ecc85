// A whole node with HTTP, and beside it in the same process a bare Fastify route that answers with the same body.
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { resolveNodeOptions, startNode } from 'lockstep'
import { answer } from '../process/answer.mjs'
import { loadFastify } from '../servers/driver.mjs'
import { one } from './lockstep-programs.mjs'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const waits = {
  id: 'waits',
  variables: { customer: { type: 'string', default: 'c-1' }, amount: { type: 'number', default: 12 } },
  activities: [{ id: 'wait', type: 'wait-for-event', inputs: { event: 'answer' } }],
}
let node
let bare

const send = async (method, path, body) => {
  const response = await fetch(`${node.url}/api/v1${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const told = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`)
  return told
}

answer({
  /** Milliseconds until the first answer, reading the code included. */
  async open({ url }) {
    const options = resolveNodeOptions({ databaseUrl: url, port: 0 })
    node = await startNode(options, edge, { workflows: [one], activities: [], jobs: [] })
    await send('GET', '/workflow-instances?limit=1')
    return performance.now()
  },
  /** Addresses for the load: starts, a read of one instance, and the same body without anything around it. */
  async targets() {
    await send('PUT', '/workflow-definitions/waits', waits)
    const { id } = await send('POST', '/workflow-instances', {
      definitionId: 'waits',
      input: { order: 42, lines: [1, 2, 3] },
    })
    let body
    do body = await send('GET', `/workflow-instances/${id}`)
    while (body.status !== 'suspended')
    bare = loadFastify()()
    bare.get('/instance', async () => body)
    const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 })
    const root = `${node.url}/api/v1`
    return {
      starts: `${root}/workflow-instances`,
      read: `${root}/workflow-instances/${id}`,
      bare: `${bareUrl}/instance`,
      stream: `${root}/streams/events`,
    }
  },
  async close() {
    await bare?.close()
    await node?.stop()
  },
})
