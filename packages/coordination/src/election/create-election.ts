import { type Deferred, deferred, linkedAbort } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import { checkLeaseName } from '../lease/lease-name.ts'
import { readHolder } from '../monitor/read-holder.ts'
import type { Campaign, Election, LeaderInfo, Term } from './election.ts'
import { type ElectionOptions, resolveElectionOptions } from './election-options.ts'
import { observeLeader } from './observe-leader.ts'
import type { Offices } from './offices.ts'
import { type Office, serveTerm } from './serve-term.ts'
import { stand } from './stand.ts'

/** An election is a mutex whose leases are terms: the fence is the term, a hand-over is an election. */
export function createElection(
  kit: LeaseKit,
  offices: Offices,
  { name, lockName }: { readonly name: string; readonly lockName: string },
  options?: ElectionOptions,
): Election {
  kit.assertOpen(`election "${name}"`)
  checkLeaseName(name)
  const resolved = resolveElectionOptions(options)
  const lock = kit.mutex(lockName, { ttlMs: resolved.ttlMs })
  const office: Office = {
    name,
    kit,
    options: resolved,
    enter: (term) => offices.enter(lockName, term),
    leave: (term) => offices.leave(lockName, term),
  }

  const campaign = async (wanted: Campaign): Promise<void> => {
    kit.assertOpen(`campaign for "${name}"`)
    const standing = stand(
      {
        kit,
        options: resolved,
        lock,
        serve: (lease, forWhom, stop) => serveTerm(office, lease, forWhom, stop),
      },
      wanted,
    )
    kit.beforeRelease(standing.catch(() => {}))
    return standing
  }

  const inOffice = async (): Promise<{ readonly leader: LeaderInfo; readonly token: string } | undefined> => {
    kit.assertOpen(`looking for the leader of "${name}"`)
    const [holder] = (await kit.provider.registry.read(lockName))?.holders ?? []
    if (holder === undefined) return undefined
    const info = readHolder(holder.holder) ?? { nodeId: '', node: 'unknown', pid: 0, host: '' }
    const self = info.nodeId === kit.self.nodeId
    return { leader: { ...info, term: holder.fence, since: holder.acquiredAt, self }, token: holder.token }
  }
  const leader = async (): Promise<LeaderInfo | undefined> => (await inOffice())?.leader

  return {
    name,
    get term() {
      const term = offices.current(lockName)
      return term?.signal.aborted === false ? term : undefined
    },
    campaign,
    terms: (o) => termsOf(campaign, o?.signal),
    observe: (o) =>
      observeLeader({ name, kit, lookEveryMs: resolved.lookEveryMs, leader, changed: () => offices.change }, o?.signal),
    leader,
    depose: async (isDead) => {
      const found = await inOffice()
      if (found === undefined || !isDead(found.leader)) return false
      // By its token, which nobody else ever has: whoever was elected meanwhile stays.
      const { answers } = await kit.provider.leases.release([{ name: lockName, token: found.token, kind: 'mutex' }])
      return answers[0] === 'released'
    },
    resign: async () => {
      const term = offices.current(lockName)
      if (term === undefined) return false
      term.end('resigned')
      await term.vacated
      return true
    },
  }
}

/** The body of the loop is the work of the term: the office is not free, and nobody here stands again, before it has come back. */
async function* termsOf(
  campaign: (wanted: Campaign) => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Term, void> {
  using stop = linkedAbort(signal)
  let arrival = deferred<Term | undefined>()
  let body: Deferred<void> | undefined
  const standing = campaign({
    signal: stop.signal,
    onElected: (term) => {
      body = deferred()
      arrival.resolve(term)
      return body.promise
    },
  })
  standing.then(
    () => arrival.resolve(undefined),
    (error: unknown) => {
      arrival.promise.catch(() => {}) // nobody may be there to hear it: the loop was left
      arrival.reject(error)
    },
  )
  try {
    for (;;) {
      const term = await arrival.promise
      if (term === undefined) return
      arrival = deferred()
      if (!term.signal.aborted) yield term
      body?.resolve()
    }
  } finally {
    body?.resolve()
    stop.abort('the loop over terms was left')
    await standing.catch(() => {})
  }
}
