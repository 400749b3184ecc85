import { type Clock, type Deferred, deferred, silentLogger } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { openPool, type SandboxPool } from './sandbox-pool.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'
import type { SandboxThread, ThreadLost } from './sandbox-thread.ts'

interface FakeThread extends SandboxThread {
  readonly seen: string[]
  answer(outcome: SandboxOutcome | ThreadLost): void
  /** What it says to have worked. */
  worked: number
  readonly stopped: boolean
}

/** Threads that answer when told, and a clock that moves when told. */
function openFakes(workers = 1) {
  const threads: FakeThread[] = []
  const timers = new Set<() => void>()
  let now = 0
  const clock = {
    monotonic: () => now,
    schedule: (_delayMs: number, run: () => void) => {
      timers.add(run)
      return { cancel: () => timers.delete(run) }
    },
    soon: (run: () => void) => {
      setImmediate(run)
    },
  } as unknown as Clock
  const boot = { failing: false }
  const start = async (): Promise<SandboxThread> => {
    if (boot.failing) throw new Error('cannot start')
    let waiting: Deferred<SandboxOutcome | ThreadLost> | undefined
    const seen: string[] = []
    let stopped = false
    const thread: FakeThread = {
      seen,
      taken: 0,
      worked: Number.NaN,
      workedMs: () => thread.worked,
      get stopped() {
        return stopped
      },
      run(request) {
        seen.push(request.program)
        waiting = deferred()
        return waiting.promise
      },
      answer: (outcome) => waiting?.resolve(outcome),
      async stop() {
        stopped = true
        waiting?.resolve({ status: 'lost', reason: 'stopped', outOfMemory: false })
      },
    }
    threads.push(thread)
    return thread
  }
  const pool = openPool({ start, workers, hardLimitMs: 100, clock, logger: silentLogger })
  const elapse = (ms = 100): void => {
    now += ms
    for (const run of [...timers]) {
      timers.delete(run)
      run()
    }
  }
  return { pool, threads, elapse, boot, timers }
}

const request = (program: string): SandboxRequest => ({ program, scope: '{}' })
const value = (json: string): SandboxOutcome => ({ status: 'value', json })
/** Lets everything that is due happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const run = (pool: SandboxPool, program: string) =>
  pool.run(request(program)).catch((error: { code?: string; message: string }) => error)

describe('the pool of sandbox threads', () => {
  it('starts no thread before one is needed, and keeps it for the next request', async () => {
    const { pool, threads } = openFakes()
    expect(threads).toHaveLength(0)
    for (const program of ['a', 'b']) {
      const answer = run(pool, program)
      await settle()
      threads[0]!.answer(value(program))
      expect(await answer).toEqual(value(program))
    }
    expect(threads.map((thread) => thread.seen)).toEqual([['a', 'b']])
  })

  it('gives a thread one request at a time and starts no more threads than it may', async () => {
    const { pool, threads } = openFakes(2)
    const answers = ['a', 'b', 'c'].map((program) => run(pool, program))
    await settle()
    expect(threads.map((thread) => thread.seen)).toEqual([['a'], ['b']])
    threads[1]!.answer(value('b'))
    await settle()
    expect(threads.map((thread) => thread.seen)).toEqual([['a'], ['b', 'c']])
    threads[1]!.answer(value('c'))
    threads[0]!.answer(value('a'))
    expect(await Promise.all(answers)).toEqual([value('a'), value('b'), value('c')])
  })

  it('fails only the request under way when its thread crashes', async () => {
    const { pool, threads, timers } = openFakes()
    const [first, second] = [run(pool, 'a'), run(pool, 'b')]
    await settle()
    threads[0]!.answer({ status: 'lost', reason: 'segmentation fault', outOfMemory: false })
    expect(await first).toEqual({ status: 'threw', name: 'SandboxCrash', message: 'segmentation fault' })
    await settle()
    threads[1]!.answer(value('b'))
    expect(await second).toEqual(value('b'))
    expect(timers.size).toBe(0)
  })

  it('calls it a limit when the thread itself had no memory left', async () => {
    const { pool, threads } = openFakes()
    const answer = run(pool, 'a')
    await settle()
    threads[0]!.answer({ status: 'lost', reason: 'heap', outOfMemory: true })
    expect(await answer).toEqual({ status: 'limit', limit: 'memory' })
  })

  it('waits for a thread that had little of the processor, and not for ever', async () => {
    const { pool, threads, elapse } = openFakes()
    const [slow, starved] = [run(pool, 'a'), run(pool, 'b')]
    await settle()
    threads[0]!.worked = 60
    elapse()
    await settle()
    threads[0]!.worked = 99
    elapse()
    await settle()
    expect(threads[0]!.stopped).toBe(false)
    threads[0]!.answer(value('a'))
    expect(await slow).toEqual(value('a'))
    await settle()
    threads[0]!.worked = 1
    elapse()
    await settle()
    elapse(100 * 20)
    expect(await starved).toEqual({ status: 'limit', limit: 'time' })
    expect(threads[0]!.stopped).toBe(true)
  })

  it('ends a thread that has worked for so long, however late it is looked at', async () => {
    const { pool, threads, elapse } = openFakes()
    const stuck = run(pool, 'a')
    await settle()
    threads[0]!.worked = 100
    elapse()
    expect(await stuck).toEqual({ status: 'limit', limit: 'time' })
  })

  it('ends a thread that does not answer in time', async () => {
    const { pool, threads, elapse } = openFakes()
    const [stuck, behind] = [run(pool, 'a'), run(pool, 'b')]
    await settle()
    elapse()
    expect(await stuck).toEqual({ status: 'limit', limit: 'time' })
    await settle()
    expect(threads[0]!.stopped).toBe(true)
    threads[1]!.answer(value('b'))
    expect(await behind).toEqual(value('b'))
  })

  it('takes an answer that was there when the time was up', async () => {
    const { pool, threads, elapse } = openFakes()
    const late = run(pool, 'a')
    await settle()
    elapse()
    threads[0]!.answer(value('a'))
    expect(await late).toEqual(value('a'))
    expect(threads[0]!.stopped).toBe(false)
  })

  it.each<[SandboxOutcome, boolean]>([
    [{ status: 'limit', limit: 'memory' }, true],
    [{ status: 'limit', limit: 'time' }, true],
    [{ status: 'limit', limit: 'output' }, false],
    [{ status: 'threw', name: 'TypeError', message: '' }, false],
  ])('after %j the thread is replaced: %s', async (outcome, replaced) => {
    const { pool, threads } = openFakes()
    const first = run(pool, 'a')
    await settle()
    threads[0]!.answer(outcome)
    expect(await first).toEqual(outcome)
    void run(pool, 'b')
    await settle()
    expect(threads).toHaveLength(replaced ? 2 : 1)
    expect(threads[0]!.stopped).toBe(replaced)
    await pool.close()
  })

  it('replaces a thread that has served long enough', async () => {
    const { pool, threads } = openFakes()
    const first = run(pool, 'a')
    await settle()
    Object.assign(threads[0]!, { taken: 10_000 })
    threads[0]!.answer(value('a'))
    await first
    expect(threads[0]!.stopped).toBe(true)
  })

  it('fails what asked for a thread that cannot start, and tries again for the next', async () => {
    const { pool, threads, boot } = openFakes()
    boot.failing = true
    expect(await run(pool, 'a')).toMatchObject({ message: 'cannot start' })
    boot.failing = false
    const next = run(pool, 'b')
    await settle()
    threads[0]!.answer(value('b'))
    expect(await next).toEqual(value('b'))
  })

  it('does not begin what was aborted while it waited', async () => {
    const { pool, threads } = openFakes()
    const abort = new AbortController()
    const first = run(pool, 'a')
    void pool.run(request('b'), abort.signal)
    const third = run(pool, 'c')
    await settle()
    abort.abort()
    threads[0]!.answer(value('a'))
    await first
    await settle()
    threads[0]!.answer(value('c'))
    await third
    expect(threads[0]!.seen).toEqual(['a', 'c'])
  })

  it('closes at any moment', async () => {
    const { pool, threads } = openFakes()
    const [running, waiting] = [run(pool, 'a'), run(pool, 'b')]
    await settle()
    await pool.close()
    expect(await running).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(await waiting).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(await run(pool, 'c')).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(threads.map((thread) => thread.stopped)).toEqual([true])
  })

  it('stops a thread that was still starting when it closed', async () => {
    const { pool, threads } = openFakes()
    const starting = run(pool, 'a')
    await pool.close()
    expect(await starting).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(threads.every((thread) => thread.stopped)).toBe(true)
  })
})
