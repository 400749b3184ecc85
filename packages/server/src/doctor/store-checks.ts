import { type Clock, errorMessage, withTimeout } from '@lockstep/base'
import type { NodeView } from '@lockstep/engine/ports'
import { type Check, nodeChecks } from './node-checks.ts'

/** A store that does not say no is away too. */
const LONGEST_MS = 5_000

/** Whether the store answers, and what it knows of nodes. A store that is away is a finding, not a failure. */
export async function storeChecks(
  readNodes: () => Promise<readonly NodeView[]>,
  goneMs: number,
  clock: Clock,
): Promise<readonly Check[]> {
  const began = clock.monotonic()
  try {
    const nodes = await withTimeout(clock, LONGEST_MS, 'the store', readNodes())
    const tookMs = (clock.monotonic() - began).toFixed(1)
    return [
      { check: 'store', level: 'ok', finding: `The store answered after ${tookMs} ms` },
      ...nodeChecks(nodes, goneMs),
    ]
  } catch (error) {
    return [
      {
        check: 'store',
        level: 'error',
        finding: `The store does not answer: ${errorMessage(error)}`,
        fix: 'Look at the PostgreSQL that LOCKSTEP_DATABASE_URL of the node names: is it up, is there a way to its host and port, has it free connections? Nodes go on by themselves when it answers',
      },
    ]
  }
}
