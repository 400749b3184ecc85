import { notOurs, type Reply, ServerProblem, type Transport } from '@lockstep/api'
import { isJsonObject } from '@lockstep/base'

/**
 * Tells a node from another server that answers JSON too: its success would be taken for ours. Every answer of a node has a request id. A proxy
 * may take it away, so who answers without one is asked, once, for something of which we know what it looks like.
 */
export function knownNode(transport: Transport): (reply: Reply<unknown>) => Promise<void> {
  let isNode: Promise<boolean> | undefined
  return async ({ headers }) => {
    if (headers.has('x-request-id')) return
    isNode ??= speaksOurs(transport)
    if (!(await isNode)) throw notOurs(transport.url)
  }
}

/** A refusal will do: it has a code and a sentence. */
async function speaksOurs(transport: Transport): Promise<boolean> {
  try {
    const { body } = await transport.send('GET', '/session')
    return isJsonObject(body) && Array.isArray(body.permissions)
  } catch (error) {
    if (ServerProblem.is(error)) return true
    throw error
  }
}
