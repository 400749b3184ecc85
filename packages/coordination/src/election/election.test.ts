import { deferred, seededRandom } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { type Coordinator, coordinator } from '../coordinator.ts'
import { CoordinatorClosed, InvalidLockName, ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'
import type { Election, LeaderInfo, Term, TermEndReason } from './election.ts'
import type { ElectionOptions } from './election-options.ts'
import { TermEnded } from './errors.ts'

function cluster() {
  const time = virtualClock()
  const store = memoryStore()
  let seed = 1
  const join = (name: string) => {
    const clock = time.view()
    const provider = memoryProvider({ clock: time, store })
    const locks = coordinator({ provider, ownsProvider: true, name, clock, random: seededRandom(seed++) })
    return { name, clock, provider, locks }
  }
  return { time, join }
}

/** A candidate that works until it is told to stop, and remembers what happened to it. */
function candidate(locks: Coordinator, name: string, log: string[], options?: ElectionOptions) {
  const election = locks.election('boss', options)
  const stop = new AbortController()
  const terms: bigint[] = []
  const done = election.campaign({
    signal: stop.signal,
    onElected: async (term) => {
      terms.push(term.term)
      log.push(`${name} leads`)
      await untilAborted(term.signal)
      log.push(`${name} stopped`)
    },
    onRevoked: (_term, why) => log.push(`${name} ${why}`),
  })
  return { election, stop, terms, done }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

describe('an election', () => {
  it('has one leader at a time, and elects the next at once when it resigns by ending its campaign', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const a = candidate(join('a').locks, 'a', log)
    await time.advance(10)
    const b = candidate(join('b').locks, 'b', log)
    await time.advance(60_000)
    expect(log).toEqual(['a leads'])
    a.stop.abort()
    await time.advance(10)
    await a.done
    expect(log).toEqual(['a leads', 'a resigned', 'a stopped', 'b leads'])
    expect(b.terms[0]).toBeGreaterThan(a.terms[0]!)
    expect(a.election.term).toBeUndefined()
    expect(b.election.term?.term).toBe(b.terms[0])
  })

  it('moves on at once when a leader that is known to be dead is deposed, and only then', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const nodeA = join('a')
    const a = candidate(nodeA.locks, 'a', log, { meta: { nodeId: 'n1' } })
    await time.advance(10)
    const b = candidate(join('b').locks, 'b', log, { meta: { nodeId: 'n2' } })
    await time.advance(10)
    nodeA.clock.pause()
    const was = (nodeId: string) => (leader: LeaderInfo) => (leader.meta as { nodeId: string }).nodeId === nodeId
    expect(await b.election.depose(was('n2'))).toBe(false)
    await time.advance(10)
    expect(log).toEqual(['a leads'])
    expect(await b.election.depose(was('n1'))).toBe(true)
    await time.advance(10)
    expect(log).toEqual(['a leads', 'b leads'])
    expect(b.terms[0]).toBeGreaterThan(a.terms[0]!)
    // Whoever was elected meanwhile stays.
    expect(await b.election.depose(was('n1'))).toBe(false)
    expect(b.election.term).toBeDefined()
  })

  it('moves on when the leader is paused, and the old one steps down before it does anything else', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const nodeA = join('a')
    const a = candidate(nodeA.locks, 'a', log)
    await time.advance(10)
    const b = candidate(join('b').locks, 'b', log)
    await time.advance(10)
    nodeA.clock.pause()
    await time.advance(20_000)
    expect(log).toEqual(['a leads', 'b leads'])
    nodeA.clock.resume()
    await time.advance(100)
    expect(log[2]).toMatch(/^a (expired|stalled|taken)$/)
    expect(log[3]).toBe('a stopped')
    expect(b.election.term).toBeDefined()
    expect(a.terms).toHaveLength(1)
    // It stands again, behind the one who leads now.
    b.stop.abort()
    await time.advance(10)
    expect(a.terms).toHaveLength(2)
    expect(a.terms[1]).toBeGreaterThan(b.terms[0]!)
  })

  it('resigns when asked, waits for the work to end before the office is free, and lets the next one in', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const nodeA = join('a')
    const election = nodeA.locks.election('boss')
    const lastBit = deferred<void>()
    void election.campaign({
      onElected: async (term) => {
        await untilAborted(term.signal)
        await lastBit.promise
        log.push('a has tidied up')
      },
    })
    await time.advance(10)
    candidate(join('b').locks, 'b', log)
    await time.advance(10)
    const resigned = election.resign()
    await time.advance(1_000)
    expect(log).toEqual([])
    expect(election.term).toBeUndefined()
    lastBit.resolve()
    await time.advance(10)
    expect(await resigned).toBe(true)
    expect(log).toEqual(['a has tidied up', 'b leads'])
    expect(await election.resign()).toBe(false)
  })

  it('gives the office up after the grace when the work ignores the signal, and does not stand again before it has ended', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const stuck = deferred<void>()
    const nodeA = join('a')
    const election = nodeA.locks.election('boss', { graceMs: 5_000 })
    let elected = 0
    void election.campaign({
      onElected: () => {
        elected += 1
        return stuck.promise
      },
    })
    await time.advance(10)
    const b = candidate(join('b').locks, 'b', log)
    await time.advance(10)
    void election.resign()
    await time.advance(4_000)
    expect(log).toEqual([])
    await time.advance(1_500)
    expect(log).toEqual(['b leads'])
    b.stop.abort()
    await time.advance(60_000)
    expect(elected).toBe(1)
    stuck.resolve()
    await time.advance(5_000)
    expect(elected).toBe(2)
  })

  it('resigns when the work throws, and stands again after a pause that grows', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const at: number[] = []
    const why: TermEndReason[] = []
    void locks.election('boss', { pauseMs: 1_000, maxPauseMs: 8_000 }).campaign({
      onElected: () => {
        at.push(time.monotonic())
        throw new Error('no good')
      },
      onRevoked: (_, reason) => {
        why.push(reason)
        throw new Error('no better')
      },
    })
    await time.advance(40_000)
    const pauses = at.slice(1).map((moment, i) => moment - at[i]!)
    for (const [i, wanted] of [1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
      expect(pauses[i]).toBeGreaterThanOrEqual(wanted * 0.75)
      expect(pauses[i]).toBeLessThan(wanted * 1.3)
    }
    expect(new Set(why)).toEqual(new Set(['failed']))
  })

  it('keeps the term when the work returns, until somebody ends it', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    let current: Term | undefined
    const election = locks.election('boss')
    void election.campaign({
      onElected: (term) => {
        current = term
      },
    })
    await time.advance(120_000)
    expect(current?.signal.aborted).toBe(false)
    expect(await current?.verify()).toBe(true)
    const resigned = current?.resign()
    await time.advance(10)
    await resigned
    expect(() => current?.assertHeld()).toThrow(TermEnded)
    expect(TermEnded.is(current?.signal.reason)).toBe(true)
    expect([current?.remainingMs(), await current?.verify()]).toEqual([0, false])
  })

  it('lets the work itself resign, and wait for it', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const { locks } = join('a')
    void locks.election('boss').campaign({
      onElected: async (term) => {
        await term.resign() // must not wait for the work that waits for it
        log.push('a resigned')
        await untilAborted(new AbortController().signal) // and the office is free, whatever goes on here
      },
    })
    await time.advance(10)
    expect(log).toEqual(['a resigned'])
    candidate(join('b').locks, 'b', log)
    await time.advance(60_000)
    expect(log).toEqual(['a resigned', 'b leads'])
    const closed = locks.close()
    await time.advance(10)
    await closed
  })

  it('does not wait for work that resigns while it is already being ended', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const election = locks.election('boss')
    let tidied = false
    void election.campaign({
      onElected: async (term) => {
        await untilAborted(term.signal)
        await term.resign()
        tidied = true
      },
    })
    await time.advance(10)
    const resigned = election.resign()
    await time.advance(10)
    expect([await resigned, tidied]).toEqual([true, true])
  })

  it('is one office, whichever object of the coordinator asks', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const a = candidate(locks, 'a', [])
    await time.advance(10)
    expect(locks.election('boss').term?.term).toBe(a.terms[0])
    const resigned = locks.election('boss').resign()
    await time.advance(10)
    expect(await resigned).toBe(true)
    expect(locks.election('boss').term).toBeUndefined()
  })

  it('resigns on close, after its work has ended', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const nodeA = join('a')
    const a = candidate(nodeA.locks, 'a', log)
    await time.advance(10)
    candidate(join('b').locks, 'b', log)
    await time.advance(10)
    const closed = nodeA.locks.close()
    await time.advance(10)
    await closed
    await a.done
    expect(log).toEqual(['a leads', 'a closed', 'a stopped', 'b leads'])
    await expect(a.election.campaign({ onElected: () => {} })).rejects.toSatisfy(CoordinatorClosed.is)
    await expect(a.election.leader()).rejects.toSatisfy(CoordinatorClosed.is)
  })

  it('goes on standing while the store is out of reach', async () => {
    const { time, join } = cluster()
    const node = join('a')
    const { acquire } = node.provider.leases
    let down = true
    Object.assign(node.provider.leases, {
      acquire: (...args: Parameters<typeof acquire>) =>
        down ? Promise.reject(new ProviderUnavailable({ provider: 'memory', doing: 'acquire' })) : acquire(...args),
    })
    const log: string[] = []
    candidate(node.locks, 'a', log)
    await time.advance(60_000)
    expect(log).toEqual([])
    down = false
    await time.advance(40_000)
    expect(log).toEqual(['a leads'])
  })

  it('refuses what cannot be: names and options', async () => {
    const { locks } = cluster().join('a')
    expect(() => locks.election('')).toThrow(InvalidLockName)
    expect(() => locks.election('x'.repeat(512))).toThrow(InvalidLockName)
    expect(() => locks.election('boss', { minMembers: 0 })).toThrow(/minMembers/)
    expect(() => locks.election('boss', { pauseMs: 5_000, maxPauseMs: 1_000 })).toThrow(/maxPauseMs/)
    expect(() => locks.election('boss', { lookEveryMs: Number.NaN })).toThrow(/lookEveryMs/)
    expect(() => locks.election('boss', { ttlMs: 1 })).toThrow(/ttlMs/)
  })
})

describe('minMembers', () => {
  it('lets nobody lead a cluster that is too small, and a leader resign when it shrinks', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const options = { minMembers: 2 }
    const a = candidate(join('a').locks, 'a', log, options)
    await time.advance(30_000)
    expect(log).toEqual([])
    const nodeB = join('b')
    await time.advance(5_000)
    expect(log).toEqual(['a leads'])
    nodeB.clock.stop()
    await time.advance(20_000)
    expect(log).toEqual(['a leads', 'a too-few-members', 'a stopped'])
    await time.advance(60_000)
    expect(a.terms).toHaveLength(1)
    join('c')
    await time.advance(5_000)
    expect(a.terms).toHaveLength(2)
  })

  it('counts once more after the wait in the queue', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const [nodeA, nodeB] = [join('a'), join('b')]
    const options = { minMembers: 2, ttlMs: 40_000 }
    candidate(nodeA.locks, 'a', log, options)
    await time.advance(10)
    const b = candidate(nodeB.locks, 'b', log, options)
    await time.advance(10)
    nodeA.clock.stop() // gone as a member after 15 s, as a leader after 40 s
    await time.advance(60_000)
    expect(log).toEqual(['a leads'])
    expect(await b.election.leader()).toBeUndefined()
  })
})

describe('terms', () => {
  it('come one after the other; the body is the work; leaving the loop resigns', async () => {
    const { time, join } = cluster()
    const log: string[] = []
    const [nodeA, nodeB] = [join('a'), join('b')]
    const loop = (async () => {
      let count = 0
      for await (const term of nodeA.locks.election('boss').terms()) {
        count += 1
        log.push(`a leads ${count}`)
        await untilAborted(term.signal)
        log.push(`a stopped ${count}`)
        if (count === 2) break
      }
      return 'left'
    })()
    await time.advance(10)
    const b = candidate(nodeB.locks, 'b', log)
    await time.advance(10)
    nodeA.clock.pause()
    await time.advance(20_000)
    nodeA.clock.resume()
    await time.advance(100)
    b.stop.abort()
    await time.advance(100)
    const resigned = nodeA.locks.monitor.break('election:boss', 'enough')
    await time.advance(100)
    await resigned
    expect(await loop).toBe('left')
    expect(log).toEqual(['a leads 1', 'b leads', 'a stopped 1', 'b resigned', 'b stopped', 'a leads 2', 'a stopped 2'])
    expect(await nodeB.locks.election('boss').leader()).toBeUndefined()
  })

  it('end with their signal, also while nobody is elected', async () => {
    const { time, join } = cluster()
    candidate(join('a').locks, 'a', [])
    await time.advance(10)
    const stop = new AbortController()
    const seen: Term[] = []
    const loop = (async () => {
      for await (const term of join('b').locks.election('boss').terms({ signal: stop.signal })) seen.push(term)
    })()
    await time.advance(10)
    stop.abort()
    await time.advance(10)
    await loop
    expect(seen).toEqual([])
  })
})

describe('observers', () => {
  const observed = (election: Election, signal?: AbortSignal) => {
    const seen: (LeaderInfo | undefined)[] = []
    const done = (async () => {
      for await (const leader of election.observe(signal === undefined ? {} : { signal })) seen.push(leader)
    })()
    return { seen, done }
  }

  it('see who leads, every change, and nobody', async () => {
    const { time, join } = cluster()
    const [nodeA, nodeB, nodeC] = [join('a'), join('b'), join('c')]
    const stop = new AbortController()
    const { seen, done } = observed(nodeC.locks.election('boss'), stop.signal)
    await time.advance(3_000)
    const a = candidate(nodeA.locks, 'a', [], { meta: { zone: 'north' } })
    await time.advance(3_000)
    const b = candidate(nodeB.locks, 'b', [])
    a.stop.abort()
    await time.advance(3_000)
    b.stop.abort()
    await time.advance(3_000)
    expect(seen.map((each) => each?.node)).toEqual([undefined, 'a', 'b', undefined])
    expect(seen[1]).toMatchObject({ meta: { zone: 'north' }, self: false, term: a.terms[0] })
    stop.abort()
    await time.advance(1)
    await done
  })

  it('of the leader itself know at once', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const a = candidate(locks, 'a', [])
    const { seen } = observed(a.election)
    await time.advance(10)
    expect(seen.at(-1)).toMatchObject({ node: 'a', self: true })
    a.stop.abort()
    await time.advance(10)
    expect(seen.at(-1)).toBeUndefined()
  })

  it('end when the coordinator closes', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const { done } = observed(locks.election('boss'))
    await time.advance(10)
    const closed = locks.close()
    await time.advance(10)
    await closed
    await done
  })
})
