import type { Election, Term } from '@lockstep/coordination'
import { expect } from 'vitest'
import { expectRising } from '../bench.ts'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

const quick = { ttlMs: 600, pauseMs: 20, lookEveryMs: 50 } as const

interface Candidate {
  readonly election: Election
  readonly terms: Term[]
  readonly ends: string[]
  /** Stands for election until the example is over or `stop` is called. */
  stop(): Promise<void>
}

/** Stands, and leads until it is told to stop. */
function candidate(election: Election): Candidate {
  const terms: Term[] = []
  const ends: string[] = []
  const controller = new AbortController()
  const campaign = election.campaign({
    signal: controller.signal,
    onElected: async (term) => {
      terms.push(term)
      if (!term.signal.aborted) await new Promise((over) => term.signal.addEventListener('abort', over, { once: true }))
    },
    onRevoked: (_, why) => void ends.push(why),
  })
  campaign.catch(() => undefined)
  return {
    election,
    terms,
    ends,
    stop: async () => {
      controller.abort()
      await campaign
    },
  }
}

function electionExamples(example: Example<PrimitiveBench>): void {
  example('elects one of many', async (b) => {
    const candidates = await Promise.all(
      Array.from({ length: 3 }, async () => candidate((await b.coordinator()).election('reports', quick))),
    )
    await b.until('somebody leads', () => candidates.some((each) => each.election.term !== undefined))
    await b.harness.elapse(200)
    expect(candidates.flatMap((each) => each.terms)).toHaveLength(1)
    const leader = candidates.find((each) => each.election.term !== undefined)!
    for (const { election } of candidates)
      expect(await election.leader()).toMatchObject({
        term: leader.terms[0]!.term,
        self: election === leader.election,
      })
    leader.terms[0]!.assertHeld()
    expect(leader.terms[0]!.fence).toBe(leader.terms[0]!.term)
    for (const each of candidates) await each.stop()
    await b.until('nobody leads', async () => (await candidates[0]!.election.leader()) === undefined)
  })

  example('elects the next when a leader resigns, with a later term', async (b) => {
    const [one, two] = [
      candidate((await b.coordinator()).election('reports', quick)),
      candidate((await b.coordinator()).election('reports', quick)),
    ]
    const terms: bigint[] = []
    let leader: Candidate | undefined
    for (let round = 0; round < 3; round += 1) {
      await b.until('somebody leads', () => {
        leader = [one, two].find((each) => each.election.term !== undefined)
        return leader !== undefined
      })
      const term = leader!.election.term!
      terms.push(term.term)
      expect(await leader!.election.resign()).toBe(true)
      expect(term.signal.aborted).toBe(true)
      expect(term.signal.reason).toMatchObject({ code: 'TERM_ENDED' })
      expect(leader!.ends.at(-1)).toBe('resigned')
    }
    expectRising(terms)
    await one.stop()
    await two.stop()
    expect(await one.election.resign()).toBe(false)
  })

  example('elects the next when a leader closes, or is cut off', async (b) => {
    const [first, second] = [await b.coordinator(), await b.coordinator()]
    const one = candidate(first.election('reports', quick))
    await b.until('the first leads', () => one.terms.length === 1)
    const two = candidate(second.election('reports', quick))
    await b.standing('election:reports', second)
    await first.close()
    await b.until('the second leads', () => two.terms.length === 1)
    expect(one.terms[0]!.signal.aborted).toBe(true)
    expect(two.terms[0]!.term).toBeGreaterThan(one.terms[0]!.term)
    const third = candidate((await b.coordinator()).election('reports', quick))
    await b.harness.provider.registry.break('election:reports', { reason: 'contract', by: 'somebody' })
    await b.until('its term has ended', () => two.ends.includes('revoked'))
    await b.until('the third leads, or the second again', () => third.terms.length + two.terms.length >= 2)
    await third.stop()
    await two.stop()
  })

  example('resigns when the work of the leader fails, and stands again', async (b) => {
    const election = (await b.coordinator()).election('reports', quick)
    const controller = new AbortController()
    const ends: string[] = []
    const terms: bigint[] = []
    const campaign = election.campaign({
      signal: controller.signal,
      onElected: (term) => {
        terms.push(term.term)
        throw new Error('the work failed')
      },
      onRevoked: (_, why) => void ends.push(why),
    })
    await b.until('it was elected three times', () => terms.length >= 3)
    controller.abort()
    await campaign
    expectRising(terms)
    expect(ends.every((why) => why === 'failed')).toBe(true)
  })

  example('gives its terms to a loop, and resigns when the loop is left', async (b) => {
    const election = (await b.coordinator()).election('reports', quick)
    const terms: bigint[] = []
    for await (const term of election.terms()) {
      terms.push(term.term)
      term.assertHeld()
      if (terms.length === 3) break
      await term.resign()
    }
    expectRising(terms)
    expect(await election.leader()).toBeUndefined()
  })

  example('shows observers who leads, and every change', async (b) => {
    const watching = (await b.coordinator()).election('reports', quick)
    const one = await b.coordinator()
    const controller = new AbortController()
    const seen: (string | undefined)[] = []
    const observing = (async () => {
      for await (const leader of watching.observe({ signal: controller.signal })) seen.push(leader?.nodeId)
    })().catch(() => undefined)
    await b.until('it has looked', () => seen.length > 0)
    const standing = candidate(one.election('reports', quick))
    await b.until('it sees the leader', () => seen.at(-1) === one.id)
    await standing.stop()
    await b.until('it sees that nobody leads', () => seen.length > 1 && seen.at(-1) === undefined)
    controller.abort()
    await observing
  })

  example('leads no cluster that is smaller than asked for', async (b) => {
    const gated = { ...quick, minMembers: 2 }
    const first = await b.coordinator()
    const one = candidate(first.election('reports', gated))
    await b.harness.elapse(300)
    expect(one.terms).toEqual([])
    const second = await b.coordinator()
    const two = candidate(second.election('reports', gated))
    await b.until('somebody leads now that there are two', () => one.terms.length + two.terms.length > 0)
    await one.stop()
    await two.stop()
  })
}

/** An election as its users see it, on any provider. */
export function electionContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: election contract`, open, options, primitiveBench, {
    terms: electionExamples,
  })
}
