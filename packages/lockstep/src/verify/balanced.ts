/**
 * Addresses of nodes used as a balancer uses them: each request goes to the next one. What a node did not take (it
 * refuses the connection, or says that it is shutting down) goes to another; what may have been carried out is sent
 * again only where that is harmless. With the address of a balancer there is nothing to move on to but the same again.
 */
import { type Clock, sleep } from '@lockstep/base'
import { ServerProblem, ServerUnreachable } from '../cli/exit-codes.ts'
import type { ApiClient } from '../cli/remote/api-client.ts'
import type { Balanced } from './part.ts'

const ROUND_PAUSE_MS = 200

export function balanced(nodes: readonly ApiClient[], clock: Clock, patienceMs: number): Balanced {
  let turn = 0
  let movedCount = 0
  return {
    get movedCount() {
      return movedCount
    },
    async call(method, path, wanted) {
      const canRepeat = method !== 'POST' || wanted?.headers?.['idempotency-key'] !== undefined
      const deadline = clock.monotonic() + patienceMs
      for (let tries = 1; ; tries++) {
        const node = nodes[turn++ % nodes.length]!
        try {
          return await node.call(method, path, wanted)
        } catch (error) {
          // A balancer's address has its own patience; only its refusals while it has no node at all are sent again.
          if (!wasNotTaken(error) && !(canRepeat && nodes.length > 1 && ServerUnreachable.is(error))) throw error
          if (clock.monotonic() > deadline || (nodes.length === 1 && !wasNotTaken(error))) throw error
          movedCount += 1
          if (tries % nodes.length === 0) await sleep(clock, ROUND_PAUSE_MS)
        }
      }
    },
  }
}

function wasNotTaken(error: unknown): boolean {
  if (ServerUnreachable.is(error)) return error.details.reason === 'connection refused'
  return ServerProblem.is(error) && error.details.problem.code === 'SHUTTING_DOWN'
}
