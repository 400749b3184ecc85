import { errorCode, linkedAbort, sleep, Trouble } from '@lockstep/base'
import type { Lease, Lock } from '../lease/lease.ts'
import type { LeaseKit } from '../lease/lease-kit.ts'
import type { Campaign } from './election.ts'
import type { ResolvedElectionOptions } from './election-options.ts'
import { enoughMembers } from './member-gate.ts'

/** How long one place in the queue is kept before it is taken anew. */
const WAIT_MS = 600_000

export interface Candidate {
  readonly kit: LeaseKit
  readonly options: ResolvedElectionOptions
  readonly lock: Lock
  /** Serves a term from its first moment to the return of the lease. */
  serve(lease: Lease, campaign: Campaign, stop: AbortSignal): Promise<Served>
}

/** How a term went: what the campaign does next depends on nothing else. */
export type Served = 'lost' | 'resigned' | 'failed' | 'too-few-members'

/**
 * Stands for election until `campaign.signal` or the coordinator ends it. Failures of the store and of the leader's work
 * are no reason to give up: it stands again after a pause that doubles. A mistake of the caller (a name or an option that
 * cannot be) is, and rejects.
 */
export async function stand(candidate: Candidate, campaign: Campaign): Promise<void> {
  const { kit, options, lock } = candidate
  using stop = linkedAbort(campaign.signal, kit.closing)
  let failures = 0
  const trouble = new Trouble(kit.logger, 'election: cannot stand, will try again', 'election: stands again')
  while (!stop.signal.aborted) {
    let pauseMs = 0
    try {
      if (!(await enoughMembers(candidate))) pauseMs = options.lookEveryMs
      else {
        const { ttlMs, priority, meta } = options
        const asked = { ttlMs, priority, waitMs: WAIT_MS, signal: stop.signal, ...(meta === undefined ? {} : { meta }) }
        const got = await lock.tryAcquire(asked)
        trouble.over({ election: lock.name })
        if (!got.ok) continue
        const since = kit.clock.monotonic()
        const served = await candidate.serve(got, campaign, stop.signal)
        const servedMs = kit.clock.monotonic() - since
        if (served !== 'failed' || servedMs > options.maxPauseMs) failures = 0
        if (served === 'failed') failures += 1
        // Lost as soon as it was got: whatever takes it away would do so again.
        if (served === 'resigned' || (served === 'lost' && servedMs < options.pauseMs)) pauseMs = options.pauseMs
        if (served === 'too-few-members') pauseMs = options.lookEveryMs
      }
    } catch (error) {
      if (stop.signal.aborted) break
      if (isMistake(error)) throw error
      failures += 1
      trouble.failed(error, { election: lock.name })
    }
    if (failures > 0) pauseMs = Math.min(options.maxPauseMs, options.pauseMs * 2 ** Math.min(failures - 1, 30))
    if (pauseMs > 0) await sleep(kit.clock, jittered(candidate, pauseMs), stop.signal).catch(() => {})
  }
}

const jittered = ({ kit }: Candidate, ms: number): number => ms * (0.75 + kit.random.next() / 2)

/** An error of our catalogue that no repetition changes; anything unknown counts as passing. */
const isMistake = (error: unknown): boolean =>
  errorCode(error) !== undefined && (error as { retryable?: unknown }).retryable === false
