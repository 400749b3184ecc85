import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { Site } from './site.ts'
import type { ProviderAt } from './worker.ts'

/** Longer than the lease lives. */
const PAST_TTL_MS = 900
const TTL_MS = 400

/** What happens to processes is the same on every store. */
export function processFaults(at: () => { kind: ProviderAt['kind']; url: string }): void {
  describe('a holder that dies', () => {
    it('is followed by those who wait, over and over', async () => {
      await using site = await Site.open(at())
      const survivors = await site.looping(2, { ttlMs: TTL_MS })
      for (let round = 0; round < 3; round += 1) {
        const victim = await site.worker({ ttlMs: TTL_MS })
        await victim.call('take', { waitMs: 60_000 })
        await victim.kill9()
        await site.progress(survivors, 2)
      }
      const [first] = await site.looping(1, { ttlMs: TTL_MS })
      await site.progress([first!], 2)
      await first!.kill9()
      await site.progress(survivors, 2)
      expect(site.violations()).toEqual([])
      expect(site.unhandled()).toEqual([])
    })
  })

  describe('a holder that is stopped past its time and woken', () => {
    it('has its late write refused, and knows that its lease is gone', async () => {
      const { site, late } = await stopAndWake(at(), true)
      await using _ = site
      expect(late.accepted).toBe(false)
      // Another may have been too slow for its lease, on a busy machine.
      expect(site.resource.refused.filter((write) => write.worker === site.workers[0]!.name)).toHaveLength(1)
      expect(site.violations()).toEqual([])
      expect(site.unhandled()).toEqual([])
    })

    it('writes over a later holder when the resource does not check: the checker sees it', async () => {
      const { site, late } = await stopAndWake(at(), false)
      await using _ = site
      expect(late.accepted).toBe(true)
      expect(site.violations().map((each) => each.rule)).toContain('the resource takes no earlier fence')
    })

    it('and wakes again and again under load, without one stale write taken', async () => {
      await using site = await Site.open(at())
      const workers = await site.looping(3, { ttlMs: TTL_MS, workMs: 15 })
      for (let round = 0; round < 3; round += 1) {
        const sleeper = workers[round % 3]!
        await delay(40)
        sleeper.signal('SIGSTOP')
        await site.progress(
          workers.filter((each) => each !== sleeper),
          2,
        )
        await delay(PAST_TTL_MS)
        sleeper.signal('SIGCONT')
      }
      await site.progress(workers, 2)
      expect(site.violations()).toEqual([])
      expect(site.unhandled()).toEqual([])
    })
  })

  describe('one who waits and is stopped', () => {
    it('does not believe in a grant that came and went in its sleep, and gets its turn later', async () => {
      await using site = await Site.open(at())
      // Long enough for a busy machine to renew what is held: one of them is asked whether it still has it.
      const patient = { ttlMs: 4_000 }
      const [holder, sleeper, third] = [
        await site.worker(patient),
        await site.worker(patient),
        await site.worker(patient),
      ]
      await holder.call('take')
      const pending = sleeper.call<{ fence: string }>('take', { waitMs: 60_000 })
      await until('it waits', async () => (await holder.call('waiting')) === 1)
      sleeper.signal('SIGSTOP')
      await holder.call('release')
      const { fence } = await third.call<{ fence: string }>('take', { waitMs: 60_000 })
      sleeper.signal('SIGCONT')
      await until('it waits again', async () => (await holder.call('waiting')) === 1)
      expect(await third.call('look')).toMatchObject({ trusted: true, aborted: false })
      await third.call('release')
      expect(BigInt((await pending).fence)).toBeGreaterThan(BigInt(fence))
      expect(await sleeper.call('look')).toMatchObject({ trusted: true })
      expect(site.violations()).toEqual([])
      expect(site.unhandled()).toEqual([])
    })
  })

  describe('a holder whose event loop is blocked past its time', () => {
    it('is not told that it holds the lock in the turn in which it comes back', async () => {
      await using site = await Site.open(at())
      const holder = await site.worker({ ttlMs: TTL_MS })
      await holder.call('take')
      const others = await site.looping(2, { ttlMs: TTL_MS })
      const back = holder.call<{ trusted: boolean; left: number }>('blockThenTrust', { ms: PAST_TTL_MS })
      await site.progress(others, 2)
      expect(await back).toEqual({ trusted: false, left: 0 })
      expect(await holder.call('writeBlindly')).toEqual({ accepted: false })
      expect(await holder.call('look')).toMatchObject({ trusted: false, aborted: true })
      expect(await holder.call('release')).toBe('lost')
      expect(site.violations()).toEqual([])
      expect(site.unhandled()).toEqual([])
    })
  })
}

/** A holder sleeps while others work, and its next write is on its way in before it can know. */
async function stopAndWake(
  at: { kind: ProviderAt['kind']; url: string },
  checks: boolean,
): Promise<{ site: Site; late: { accepted: boolean } }> {
  const site = await Site.open(at, { checks })
  const sleeper = await site.worker({ ttlMs: TTL_MS })
  await sleeper.call('take')
  const others = await site.looping(2, { ttlMs: TTL_MS })
  sleeper.signal('SIGSTOP')
  await site.progress(others, 2)
  const writing = sleeper.call<{ accepted: boolean }>('writeBlindly')
  sleeper.signal('SIGCONT')
  const late = await writing
  expect(await sleeper.call('look')).toMatchObject({ trusted: false, aborted: true })
  await site.progress(others, 2)
  for (const other of others) await other.call('endLoop')
  return { site, late }
}
