import { abortable, errorMessage, type Timer } from '@lockstep/base'
import type { Lease } from '../lease/lease.ts'
import type { LeaseKit } from '../lease/lease-kit.ts'
import { ActiveTerm } from './active-term.ts'
import type { Campaign, TermEndReason } from './election.ts'
import type { ResolvedElectionOptions } from './election-options.ts'
import { enoughMembers, watchMembers } from './member-gate.ts'
import type { Served } from './stand.ts'

export interface Office {
  readonly name: string
  readonly kit: LeaseKit
  readonly options: ResolvedElectionOptions
  enter(term: ActiveTerm): void
  leave(term: ActiveTerm): void
}

/**
 * From the grant of the lease to its return. The order is what makes a hand-over clean: first the signal, then
 * `onRevoked`, then the end of the work, and only then the office is free for the next. Work that ignores the signal gets
 * `graceMs`; it does not lead meanwhile, and this process does not stand again before it has ended.
 */
export async function serveTerm(office: Office, lease: Lease, campaign: Campaign, stop: AbortSignal): Promise<Served> {
  const { kit } = office
  const term = new ActiveTerm(office.name, lease)
  // Anything may have changed while it waited in the queue.
  const fit = await enoughMembers(office).catch(() => false)
  if (!fit || stop.aborted || term.signal.aborted) {
    term.end(fit ? 'resigned' : 'too-few-members')
    await vacate(office, term)
    return fit ? 'lost' : 'too-few-members'
  }

  const onStop = (): void => term.end(kit.closing.aborted ? 'closed' : 'resigned')
  stop.addEventListener('abort', onStop, { once: true })
  term.onEnd = (reason) => tellRevoked(office, term, campaign, reason)
  office.enter(term)
  using _watch = watchMembers(office, term)
  const work = lead(office, term, campaign)
  const reason = await term.ended
  stop.removeEventListener('abort', onStop)
  const stopped = await endOf(office, term, work)
  await vacate(office, term)
  office.leave(term)
  if (stopped === 'overdue')
    kit.logger.error('election: the work of a term that ended has not stopped; not standing again before it has', {
      election: office.name,
      term: term.term,
    })
  await abortable(work, stop).catch(() => {})
  return reason === 'failed' || reason === 'resigned' || reason === 'too-few-members' ? reason : 'lost'
}

/** Never rejects. What the work throws after its end has been announced is the way it stopped, not a failure. */
async function lead({ kit, name }: Office, term: ActiveTerm, campaign: Campaign): Promise<void> {
  try {
    await campaign.onElected(term)
  } catch (error) {
    if (term.signal.aborted) return
    kit.logger.error('election: the work of the leader failed, it resigns', {
      election: name,
      term: term.term,
      error: errorMessage(error),
    })
    term.end('failed', error)
  }
}

function tellRevoked({ kit, name }: Office, term: ActiveTerm, campaign: Campaign, reason: TermEndReason): void {
  try {
    campaign.onRevoked?.(term, reason)
  } catch (error) {
    kit.logger.error('election: onRevoked threw', { election: name, error: errorMessage(error) })
  }
}

async function vacate({ kit, name }: Office, term: ActiveTerm): Promise<void> {
  await term.vacate().catch((error: unknown) => {
    kit.logger.warn('election: the office could not be given back, it ends by itself', {
      election: name,
      error: errorMessage(error),
    })
  })
}

/** Waits for the work to end or to say that nobody need wait for it, no longer than the grace. */
async function endOf({ kit, options }: Office, term: ActiveTerm, work: Promise<void>): Promise<'ended' | 'overdue'> {
  let timer: Timer | undefined
  const overdue = new Promise<'overdue'>((resolve) => {
    timer = kit.clock.schedule(options.graceMs, () => resolve('overdue'), { keepAlive: true })
  })
  try {
    return await Promise.race([Promise.race([work, term.surrendered]).then(() => 'ended' as const), overdue])
  } finally {
    timer?.cancel()
  }
}
