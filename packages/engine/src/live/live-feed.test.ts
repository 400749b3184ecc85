import { silentLogger, systemClock, type Timer } from '@lockstep/base'
import type { WakeBus } from '@lockstep/coordination'
import { describe, expect, it } from 'vitest'
import { cursorFrom, cursorText, isBehind, type LiveCursor, type LiveEvent } from './live-event.ts'
import { LiveFeed, type LiveFollower } from './live-feed.ts'

const START: LiveCursor = { pos: 100n, n: 0 }

/** Timers wait until they are told. */
function handClock() {
  const due = new Set<() => void>()
  const plannedMs: number[] = []
  const schedule = (ms: number, run: () => void): Timer => {
    plannedMs.push(ms)
    due.add(run)
    return { cancel: () => void due.delete(run) }
  }
  const fire = (): void => {
    for (const run of [...due]) {
      due.delete(run)
      run()
    }
  }
  return { clock: { ...systemClock, schedule }, due, fire, plannedMs }
}

function openFeed(bus: WakeBus = { publish: () => {}, subscribe: () => () => {} }) {
  const hand = handClock()
  const log: LiveEvent[] = []
  let reads = 0
  let spans = 0
  const asked: boolean[] = []
  let between = async (): Promise<void> => {}
  const store = {
    span: async () => {
      spans += 1
      return { horizon: { pos: START.pos + BigInt(log.length), n: 0 }, oldest: { pos: 50n, n: 0 } }
    },
    read: async (after: LiveCursor, limit: number, withFacts: boolean) => {
      reads += 1
      asked.push(withFacts)
      const found = log.filter((event) => isBehind(after, event) && (withFacts || event.topic !== 'instances'))
      const horizon = { pos: START.pos + BigInt(log.length), n: 0 }
      await between()
      const events = found.slice(0, limit)
      const last = events.at(-1) ?? after
      return { events, next: found.length > limit ? last : horizon, more: found.length > limit }
    },
  }
  const commit = (topic: LiveEvent['topic'] = 'instances'): void => {
    const pos = START.pos + BigInt(log.length) + 1n
    log.push({ topic, type: 'x', pos, n: 0, at: 0, tenant: 't', subject: undefined })
  }
  const feed = new LiveFeed({ store, bus, id: 'me', clock: hand.clock, logger: silentLogger, pageSize: 3 })
  /** Holds the read that begins next, until what it answers is called. */
  const holdNextRead = (): (() => void) => {
    let go = (): void => {}
    const gone = new Promise<void>((resolve) => {
      go = resolve
    })
    between = () => {
      between = async () => {}
      return gone
    }
    return () => go()
  }
  /** Holds every read from now on, until what it answers is called. */
  const holdReads = (): (() => void) => {
    const going: (() => void)[] = []
    between = () => new Promise((resolve) => void going.push(resolve))
    return () => {
      between = async () => {}
      for (const go of going) go()
    }
  }
  return { ...hand, feed, commit, holdNextRead, holdReads, asked, reads: () => reads, spans: () => spans }
}

function follower(wantsFacts = true) {
  const heard: string[] = []
  let reset = false
  const told: LiveFollower = {
    wantsFacts,
    begins: (_, wasReset) => {
      reset = wasReset
    },
    hear: (events) => void heard.push(...events.map(cursorText)),
    caughtUp: () => {},
    room: async () => {},
  }
  return { ...told, heard, wasReset: () => reset }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('the live feed', () => {
  it('reads nothing and keeps no timer without followers', async () => {
    const { feed, commit, due, fire, reads } = openFeed()
    commit()
    feed.committed()
    await settle()
    expect([reads(), due.size]).toEqual([0, 0])
    const following = feed.follow(undefined, follower())
    await settle()
    fire()
    await settle()
    expect(reads()).toBeGreaterThan(0)
    following.close()
    await settle()
    expect([feed.followerCount, due.size]).toEqual([0, 0])
  })

  it('looks once for all who are up to date', async () => {
    const { feed, commit, fire, reads } = openFeed()
    const all = Array.from({ length: 50 }, follower)
    for (const each of all) feed.follow(undefined, each)
    await settle()
    const before = reads()
    commit()
    fire()
    await settle()
    expect(reads() - before).toBe(1)
    expect(all.map(({ heard }) => heard)).toEqual(all.map(() => ['101']))
  })

  it('asks once where it stands, and reads nothing more, for a crowd that comes at once and wants nothing of the past', async () => {
    const { feed, commit, fire, reads, spans } = openFeed()
    commit()
    const all = Array.from({ length: 200 }, () => follower())
    for (const each of all) feed.follow(undefined, each)
    await settle()
    const more = follower()
    feed.follow(undefined, more)
    await settle()
    expect([spans(), reads()]).toEqual([1, 0])
    commit()
    fire()
    await settle()
    expect(reads()).toBe(1)
    expect([...all, more].map(({ heard }) => heard)).toEqual([...all, more].map(() => ['102']))
  })

  it('does not read for those who left while they waited for their turn, nor go on for nobody', async () => {
    const { feed, commit, due, fire, holdReads, reads } = openFeed()
    for (let i = 0; i < 10; i += 1) commit()
    const goOn = holdReads()
    const all = Array.from({ length: 50 }, () => feed.follow({ pos: 102n, n: 0 }, follower()))
    await settle()
    const before = reads()
    for (const each of all) each.close()
    goOn()
    await settle()
    fire()
    await settle()
    expect(reads() - before).toBe(0)
    expect(due.size).toBe(0)
  })

  it('rests when the only one was content with what he was told', async () => {
    const { feed, commit, due, fire } = openFeed()
    commit()
    const one: { close?: () => void } = {}
    const following = feed.follow({ pos: 100n, n: 0 }, { ...follower(), caughtUp: () => one.close?.() })
    one.close = () => following.close()
    await settle()
    fire()
    await settle()
    expect([feed.followerCount, due.size]).toEqual([0, 0])
  })

  it('brings one who comes late up to date in pages, each event once', async () => {
    const { feed, commit, fire } = openFeed()
    for (let i = 0; i < 10; i += 1) commit()
    const late = follower()
    feed.follow({ pos: 102n, n: 0 }, late)
    await settle()
    commit()
    fire()
    await settle()
    expect(late.heard).toEqual(['103', '104', '105', '106', '107', '108', '109', '110', '111'])
  })

  it('reads no facts where nobody wants them', async () => {
    const { feed, commit, fire, asked } = openFeed()
    const one = follower(false)
    feed.follow(undefined, one)
    await settle()
    commit('instances')
    commit('schedules')
    fire()
    await settle()
    expect(asked).not.toContain(true)
    expect(one.heard).toEqual(['102'])
  })

  it('lets more wake-ups gather while nobody wants facts', async () => {
    const { feed, fire, plannedMs } = openFeed()
    const wokenAfter = async (): Promise<number> => {
      fire()
      await settle()
      feed.committed()
      return plannedMs.at(-1)!
    }
    feed.follow(undefined, follower(false))
    await settle()
    const without = await wokenAfter()
    const reader = feed.follow(undefined, follower(true))
    await settle()
    expect(await wokenAfter()).toBeLessThan(without)
    reader.close()
    expect(await wokenAfter()).toBe(without)
  })

  it('keeps nothing from one who wants facts and came while a page without was read', async () => {
    const { feed, commit, fire, holdNextRead } = openFeed()
    const without = follower(false)
    feed.follow(undefined, without)
    await settle()
    commit('instances')
    const readForAll = holdNextRead()
    fire()
    await settle()
    const wants = follower()
    feed.follow(undefined, wants)
    await settle()
    readForAll()
    await settle()
    commit('schedules')
    fire()
    await settle()
    expect(without.heard).toEqual(['102'])
    expect(wants.heard).toEqual(['101', '102'])
  })

  it.each([
    ['from the future', 5_000n],
    ['from before what is kept', 7n],
  ])('resets a place %s', async (_, pos) => {
    const { feed } = openFeed()
    const one = follower()
    feed.follow({ pos, n: 0 }, one)
    await settle()
    expect([one.wasReset(), one.heard]).toEqual([true, []])
  })
})

describe('wake-ups between nodes', () => {
  it('are sent only while somebody follows elsewhere', async () => {
    const sent: string[] = []
    const listeners = new Set<(topic: string) => void>()
    const bus: WakeBus = {
      publish: (topic) => {
        sent.push(topic)
        for (const listener of listeners) listener(topic)
      },
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    const { feed, fire } = openFeed(bus)
    feed.committed()
    fire()
    expect(sent).toEqual([])
    bus.publish('live:ask:another')
    feed.committed()
    feed.committed()
    fire()
    expect(sent).toEqual(['live:ask:another', 'live:wrote'])
  })
})

describe('a place', () => {
  it('comes back from its text, and nothing else does', () => {
    for (const place of [START, { pos: 7n, n: 12 }]) expect(cursorFrom(cursorText(place))).toEqual(place)
    for (const text of ['', 'x', '1.', '-1', '1.2.3', '9'.repeat(30)]) expect(cursorFrom(text)).toBeUndefined()
  })
})
