import { type Clock, type Json, sleep } from '@lockstep/base'
import type { ExecutionHost } from '../worker/execution.ts'

const PAUSE_MS = 250

/** Children may have ended while their parent had: nobody was there to be told. Asked once, when the parent goes on. */
export async function endOfChild(
  host: ExecutionHost,
  clock: Clock,
  instanceId: string,
  isWanted: () => boolean,
): Promise<Json | undefined> {
  while (isWanted()) {
    try {
      return await host.endOf(instanceId)
    } catch {
      await sleep(clock, PAUSE_MS) // the store is away: whoever waits for this child waits on
    }
  }
  return undefined
}
