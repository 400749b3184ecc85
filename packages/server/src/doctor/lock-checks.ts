import { type Clock, errorMessage } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import type { Check } from './node-checks.ts'

const WAIT_MS = 5_000

/** What the lock store says of itself, and how long it takes to have a lock and give it back. */
export async function lockChecks(locks: Coordinator, nodeId: string, clock: Clock): Promise<readonly Check[]> {
  const { findings } = await locks.health()
  return [await roundTrip(locks, nodeId, clock), ...findings]
}

/** A lock of this node's own: those of many doctors do not wait for each other. */
async function roundTrip(locks: Coordinator, nodeId: string, clock: Clock): Promise<Check> {
  const began = clock.monotonic()
  try {
    const lease = await locks.mutex(`doctor:${nodeId}`).acquire({ waitMs: WAIT_MS })
    const tookMs = clock.monotonic() - began
    await lease.release()
    const wholeMs = clock.monotonic() - began
    const finding = `A lock was had after ${tookMs.toFixed(1)} ms and given back after ${wholeMs.toFixed(1)} ms`
    return { check: 'lock-round-trip', level: 'ok', finding }
  } catch (error) {
    return {
      check: 'lock-round-trip',
      level: 'error',
      finding: `No lock was to be had: ${errorMessage(error)}`,
      fix: 'Look at the server that LOCKSTEP_LOCKS names: its address, its credentials, its memory',
    }
  }
}
