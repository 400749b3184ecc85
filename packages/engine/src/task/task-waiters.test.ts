import type { Clock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { TaskStore } from '../store/task-store.ts'
import { TaskWaiters } from './task-waiters.ts'

type Look = Awaited<ReturnType<TaskStore['look']>>

function bench(look: () => Look = () => ({ kinds: [], more: false })) {
  const timers: { at: number; run: () => void; cancelled: boolean }[] = []
  let now = 0
  let looks = 0
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    schedule: (delayMs, run) => {
      const timer = { at: now + delayMs, run, cancelled: false }
      timers.push(timer)
      return { cancel: () => (timer.cancelled = true) } as never
    },
    soon: (run) => run(),
  }
  const tasks = {
    look: async () => {
      looks += 1
      return look()
    },
  } as unknown as TaskStore
  const advance = async (ms: number): Promise<void> => {
    now += ms
    for (const timer of timers.filter((each) => !each.cancelled && each.at <= now)) {
      timer.cancelled = true
      timer.run()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const waiters = new TaskWaiters(tasks, clock)
  const wait = (name: string) => {
    const waiting = waiters.add({ tenant: 't', queue: 'q', names: [name] })
    let told = false
    void waiting.told(60_000).then(() => {
      told = true
    })
    const wasTold = async (): Promise<boolean> => {
      await new Promise((resolve) => setImmediate(resolve))
      return told
    }
    return { waiting, told: wasTold }
  }
  return { waiters, wait, advance, looks: () => looks }
}

const kind = (name: string) => ({ tenant: 't', queue: 'q', name })

describe('workers that wait', () => {
  it('are told one by one of tasks that open here', async () => {
    const { waiters, wait } = bench()
    const [a, b, other] = [wait('print'), wait('print'), wait('fold')]
    waiters.opened(kind('print'))
    expect([await a.told(), await b.told(), await other.told()]).toEqual([true, false, false])
    waiters.opened(kind('print'))
    expect([await b.told(), await other.told()]).toEqual([true, false])
  })

  it('look once a second for all of them, and not at all while nobody waits', async () => {
    let kinds: Look['kinds'] = []
    const { wait, advance, looks } = bench(() => ({ kinds, more: false }))
    await advance(5_000)
    expect(looks()).toBe(0)
    const all = Array.from({ length: 50 }, () => wait('print'))
    const fold = wait('fold')
    await advance(1_000)
    expect(looks()).toBe(1)
    kinds = [kind('print')]
    await advance(1_000)
    expect(looks()).toBe(2)
    expect(await Promise.all(all.map((each) => each.told()))).toEqual(all.map(() => true))
    expect(await fold.told()).toBe(false)
    for (const each of [...all, fold]) each.waiting[Symbol.dispose]()
    await advance(10_000)
    expect(looks()).toBe(2)
  })

  it('are told that there is more than a look can name, and let go when the node stops', async () => {
    const { wait, advance, waiters } = bench(() => ({ kinds: [], more: true }))
    const a = wait('print')
    await advance(1_000)
    expect(await a.told()).toBe(true)
    const b = wait('print')
    waiters.stop()
    expect(await b.told()).toBe(true)
    expect(waiters.isStopped).toBe(true)
  })
})
