import { seededRandom } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { coordinator } from '../coordinator.ts'
import { CoordinatorClosed, InvalidLockName } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'

function cluster() {
  const time = virtualClock()
  const store = memoryStore()
  let seed = 1
  const join = (name: string) => {
    const clock = time.view()
    const provider = memoryProvider({ clock: time, store })
    return { clock, locks: coordinator({ provider, ownsProvider: true, name, clock, random: seededRandom(seed++) }) }
  }
  return { time, join }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

describe('singleton', () => {
  it('runs in one process, and moves when that one dies', async () => {
    const { time, join } = cluster()
    const nodes = ['a', 'b', 'c'].map(join)
    const started: { node: number; fence: bigint }[] = []
    const singletons = nodes.map(({ locks }, node) =>
      locks.singleton('poller', async ({ signal, fence }) => {
        started.push({ node, fence })
        await untilAborted(signal)
      }),
    )
    await time.advance(60_000)
    expect(started).toHaveLength(1)
    expect(singletons.filter((each) => each.running)).toHaveLength(1)
    nodes[started[0]!.node]!.clock.stop()
    await time.advance(20_000)
    expect(started).toHaveLength(2)
    expect(started[1]!.node).not.toBe(started[0]!.node)
    expect(started[1]!.fence).toBeGreaterThan(started[0]!.fence)
  })

  it('starts again here when it returns, and elsewhere when it throws', async () => {
    const { time, join } = cluster()
    const ran: string[] = []
    const work = (name: string) => () => {
      ran.push(name)
      if (ran.length === 3) throw new Error('no good')
    }
    join('a').locks.singleton('job', work('a'), { pauseMs: 1_000 })
    await time.advance(10)
    join('b').locks.singleton('job', work('b'), { pauseMs: 1_000 })
    await time.advance(2_500)
    expect(ran).toEqual(['a', 'a', 'a', 'b'])
  })

  it('ends here with stop, with its signal and with the coordinator', async () => {
    const { time, join } = cluster()
    const [a, b, c] = [join('a'), join('b'), join('c')]
    const ran: string[] = []
    const start = (name: string, { locks }: typeof a, signal?: AbortSignal) =>
      locks.singleton(
        'job',
        async (run) => {
          ran.push(name)
          await untilAborted(run.signal)
        },
        signal === undefined ? {} : { signal },
      )
    const first = start('a', a)
    await time.advance(10)
    const over = new AbortController()
    start('b', b, over.signal)
    await time.advance(10)
    start('c', c)
    await time.advance(10)
    const stopped = first.stop()
    await time.advance(10)
    await stopped
    expect(ran).toEqual(['a', 'b'])
    over.abort()
    await time.advance(10)
    expect(ran).toEqual(['a', 'b', 'c'])
    const closed = c.locks.close()
    await time.advance(10)
    await closed
    expect(() => c.locks.singleton('job', () => {})).toThrow(CoordinatorClosed)
    expect(() => a.locks.singleton('', () => {})).toThrow(InvalidLockName)
  })
})

describe('tryOnce', () => {
  it('is true for one of all callers in a period, and for one in the next', async () => {
    const { time, join } = cluster()
    const nodes = ['a', 'b', 'c'].map(join)
    const all = async () => {
      const asked = Promise.all([...nodes, ...nodes].map(({ locks }) => locks.tryOnce('mail', 60_000)))
      await time.advance(1)
      return (await asked).filter(Boolean).length
    }
    expect(await all()).toBe(1)
    await time.advance(59_000)
    expect(await all()).toBe(0)
    await time.advance(1_000)
    expect(await all()).toBe(1)
  })

  it('lasts for its period even when the caller closes or dies', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = a.locks.tryOnce('mail', 60_000)
    await time.advance(1)
    expect(await first).toBe(true)
    const closed = a.locks.close()
    await time.advance(1)
    await closed
    const second = b.locks.tryOnce('mail', 60_000)
    await time.advance(1)
    expect(await second).toBe(false)
    expect(await b.locks.monitor.stale()).toEqual([])
  })

  it('refuses periods and keys that cannot be', async () => {
    const { locks } = cluster().join('a')
    await expect(locks.tryOnce('mail', 10)).rejects.toThrow(/periodMs/)
    await expect(locks.tryOnce('mail', 90_000_000)).rejects.toThrow(/periodMs/)
    await expect(locks.tryOnce('mail', Number.NaN)).rejects.toThrow(/periodMs/)
    await expect(locks.tryOnce('', 1_000)).rejects.toSatisfy(InvalidLockName.is)
  })
})

describe('executeWithLock', () => {
  it('skips when it is busy, says who has it, and releases on every way out', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const run = a.locks.executeWithLock('job', async () => {
      const skipped = await b.locks.executeWithLock('job', () => 'never')
      return skipped.ran ? 'twice' : skipped.holder?.node
    })
    await time.advance(1)
    expect(await run).toEqual({ ran: true, value: 'a' })
    const failed = a.locks
      .executeWithLock('job', () => Promise.reject(new Error('no good')))
      .catch((error: Error) => error.message)
    await time.advance(1)
    expect(await failed).toBe('no good')
    const again = b.locks.executeWithLock('job', () => 'free')
    await time.advance(1)
    expect(await again).toEqual({ ran: true, value: 'free' })
  })
})
