import { seededRandom } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { coordinator } from '../coordinator.ts'
import { memoryProvider } from '../memory/memory-provider.ts'

function bench() {
  const time = virtualClock()
  const provider = memoryProvider({ clock: time })
  const locks = coordinator({ provider, clock: time, random: seededRandom(1) })
  const finish = async <T>(work: Promise<T>, ms = 10): Promise<T> => {
    work.catch(() => {})
    await time.advance(ms)
    return work
  }
  return { time, locks, provider, finish }
}

describe('a semaphore', () => {
  it('keeps the number that resize set, also while nobody holds it', async () => {
    const { locks, finish } = bench()
    await finish(locks.semaphore('pool', 3).resize(5))
    expect(await finish(locks.semaphore('pool', 3).available())).toBe(5)
    await finish(locks.semaphore('pool', 3).acquire({ weight: 4 }))
    expect(await finish(locks.semaphore('pool', 3).available())).toBe(1)
  })

  it('tells one who waits that what it wants can never be had any more', async () => {
    const { locks, finish } = bench()
    const pool = locks.semaphore('pool', 4)
    await finish(pool.acquire({ weight: 2 }))
    const heavy = pool.acquire({ weight: 4 })
    heavy.catch(() => {})
    const light = pool.acquire()
    await finish(pool.resize(3))
    ;(await light).assertHeld() // no longer behind one who cannot be served
    await expect(finish(heavy, 3_000)).rejects.toMatchObject({
      code: 'TOO_MANY_PERMITS',
      details: { weight: 4, max: 3 },
    })
  })

  it('refuses numbers that are no permits', async () => {
    const { locks } = bench()
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' })
    for (const max of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => locks.semaphore('pool', max)).toThrow(refused)
      await expect(locks.semaphore('pool', 1).resize(max)).rejects.toEqual(refused)
      await expect(locks.semaphore('pool', 1).acquire({ weight: max })).rejects.toEqual(refused)
    }
  })
})
