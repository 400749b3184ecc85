import { describe, expect, it } from 'vitest'
import type { Move } from './lab-model.ts'
import { type LabCalls, type LabSettings, LONGEST_RACE_MS, Race } from './race.ts'

/** Time that passes when it is told to, and a lock with fences as the server has it. */
function bench(settings: LabSettings, workers: readonly ('A' | 'B')[] = ['A', 'B']) {
  let now = 0
  let timers: { readonly at: number; readonly run: () => void }[] = []
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: now + ms, run }
    timers.push(timer)
    return () => {
      timers = timers.filter((each) => each !== timer)
    }
  }
  let fence = 0
  let seen = 0
  let held: { fence: string; until: number } | undefined
  const isHeld = (): boolean => held !== undefined && held.until > now
  const mine = (of: { fence: string }): boolean => isHeld() && held!.fence === of.fence
  const calls: { -readonly [K in keyof LabCalls]: LabCalls[K] } = {
    acquire: ({ ttlMs }, signal) =>
      new Promise((resolve, reject) => {
        const stopped = (): void => reject(new Error('stopped'))
        signal.addEventListener('abort', stopped)
        const look = (): void => {
          if (isHeld()) return void after(50, look)
          fence += 1
          held = { fence: String(fence), until: now + ttlMs }
          signal.removeEventListener('abort', stopped)
          resolve({ fence: held.fence, token: 't' })
        }
        look()
      }),
    renew: async (of) => {
      if (!mine(of)) return 'lost'
      held = { fence: of.fence, until: now + of.ttlMs }
      return 'renewed'
    },
    release: async (of) => {
      if (!mine(of)) return 'lost'
      held = undefined
      return 'released'
    },
    write: async (_, of) => {
      if (Number(of) < seen) return { outcome: 'refused', seen: String(seen) }
      seen = Number(of)
      return { outcome: 'written', seen: null }
    },
  }
  const moves: Move[] = []
  let ended = false
  const race = new Race({
    ...{ calls, track: 1, workers, settings: () => settings, onMove: (move) => moves.push(move) },
    time: { monotonic: () => now, after },
    onEnd: () => {
      ended = true
    },
    onError: () => {},
  })
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
  }
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms
    for (await settle(); ; await settle()) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      timers = timers.filter((each) => each !== next)
      now = Math.max(now, next.at)
      next.run()
    }
    now = end
  }
  const kinds = (worker: string): readonly string[] =>
    moves.filter((each) => each.worker === worker && each.kind !== 'renewed').map(({ kind }) => kind)
  return { race, pass, moves, kinds, calls, ended: () => ended, timers: () => timers.length }
}

describe('a race for a lock', () => {
  it('lets one work after the other, each under a fence of its own', async () => {
    const { race, pass, moves, kinds } = bench({ ttlMs: 1_000, workMs: 2_000, renew: true })
    race.start()
    await pass(5_000)
    expect(kinds('A').slice(0, 5)).toEqual(['asked', 'granted', 'written', 'written', 'released'])
    expect(kinds('B').slice(0, 4)).toEqual(['asked', 'granted', 'written', 'written'])
    expect(moves.some(({ kind }) => kind === 'renewed')).toBe(true)
    expect(moves.some(({ kind }) => kind === 'expired' || kind === 'refused')).toBe(false)
  })

  it('refuses the write of a holder that did not renew and worked for too long', async () => {
    const { race, pass, kinds } = bench({ ttlMs: 1_000, workMs: 2_500, renew: false })
    race.start()
    await pass(3_000)
    expect(kinds('A').slice(0, 6)).toEqual(['asked', 'granted', 'written', 'expired', 'refused', 'asked'])
    expect(kinds('B').slice(0, 3)).toEqual(['asked', 'granted', 'written'])
  })

  it('refuses the write of a holder that slept', async () => {
    const { race, pass, kinds } = bench({ ttlMs: 1_000, workMs: 4_000, renew: true })
    race.start()
    await pass(500)
    race.crash('A')
    await pass(2_500)
    expect(kinds('A').slice(0, 7)).toEqual(['asked', 'granted', 'written', 'crashed', 'expired', 'woke', 'refused'])
  })

  it('asks again when nobody answered', async () => {
    const { race, pass, kinds, calls } = bench({ ttlMs: 1_000, workMs: 2_000, renew: true }, ['A'])
    const { acquire } = calls
    calls.acquire = () => Promise.reject(new Error('no answer'))
    race.start()
    await pass(100)
    calls.acquire = acquire
    await pass(3_000)
    expect(kinds('A').slice(0, 4)).toEqual(['asked', 'unanswered', 'asked', 'granted'])
  })

  it('stops when it is told to, and by itself, with nothing left behind', async () => {
    const told = bench({ ttlMs: 1_000, workMs: 2_000, renew: true })
    told.race.start()
    await told.pass(700)
    told.race.stop()
    await told.pass(100)
    expect([told.ended(), told.timers()]).toEqual([true, expect.any(Number)])
    expect(told.kinds('A').at(-1)).toBe('left')
    const alone = bench({ ttlMs: 1_000, workMs: 2_000, renew: true }, ['A'])
    alone.race.start()
    await alone.pass(LONGEST_RACE_MS + 5_000)
    expect([alone.ended(), alone.timers()]).toEqual([true, 0])
  })
})
