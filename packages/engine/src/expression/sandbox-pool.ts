// Hands requests to threads, one at a time each, in the order asked. Every request waits here, not in a thread: what kills a
// thread fails one request and delays the others.

import { type Clock, type Deferred, deferred, type Logger } from '@lockstep/base'
import { SandboxUnavailable } from './errors.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'
import type { SandboxThread } from './sandbox-thread.ts'

export interface SandboxPool {
  /** Not begun any more once `signal` has aborted; then the promise stays open. */
  run(request: SandboxRequest, signal?: AbortSignal): Promise<SandboxOutcome>
  close(): Promise<void>
}

export interface PoolSettings {
  readonly start: () => Promise<SandboxThread>
  /** Threads at most; none is started before it is needed. */
  readonly workers: number
  /** Of a processor, where that is known, else of the clock; counted from when a warm thread has the request. */
  readonly hardLimitMs: number
  readonly clock: Clock
  readonly logger: Logger
}

interface Job {
  readonly request: SandboxRequest
  readonly signal: AbortSignal | undefined
  readonly outcome: Deferred<SandboxOutcome>
}

/** A thread is cheap to replace, and an old one may have kept what it should not. */
const REQUESTS_PER_THREAD = 10_000
/** A thread that gets so little of the processor is given up too: others wait for it. */
const MOST_TIMES_LATE = 20
/** Time that is left is looked at again, not counted down: a thread may sleep through it. */
const SHORTEST_LOOK_MS = 20

export function openPool({ start, workers, hardLimitMs, clock, logger }: PoolSettings): SandboxPool {
  const queue: Job[] = []
  const idle: SandboxThread[] = []
  const live = new Set<SandboxThread>()
  const serving = new Set<Promise<void>>()
  let closed = false

  /** One of these per thread at work; ends when nothing is left to do. */
  async function serve(): Promise<void> {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (job.signal?.aborted) continue
      try {
        job.outcome.resolve(await perform(job.request))
      } catch (error) {
        job.outcome.reject(error)
      }
    }
  }

  async function perform(request: SandboxRequest): Promise<SandboxOutcome> {
    const thread = idle.pop() ?? (await startThread())
    const outcome = await runWithin(thread, request)
    if (!live.has(thread)) return outcome
    if (isSpent(thread, outcome)) await stop(thread)
    else idle.push(thread)
    return outcome
  }

  async function startThread(): Promise<SandboxThread> {
    const thread = await start()
    live.add(thread)
    if (closed) await stop(thread)
    return thread
  }

  async function stop(thread: SandboxThread): Promise<void> {
    live.delete(thread)
    await thread.stop()
  }

  async function runWithin(thread: SandboxThread, request: SandboxRequest): Promise<SandboxOutcome> {
    if (closed) throw isClosed()
    let waiting = true
    let late = false
    const givenUpAt = clock.monotonic() + hardLimitMs * MOST_TIMES_LATE
    // After a pause of our own the answer may be here already, behind the timer: it goes first.
    const overdue = (): void => {
      if (!waiting) return
      const leftMs = Math.min(hardLimitMs - thread.workedMs(), givenUpAt - clock.monotonic())
      if (leftMs > 0) {
        timer = clock.schedule(Math.max(SHORTEST_LOOK_MS, leftMs), () => clock.soon(overdue))
        return
      }
      late = true
      void stop(thread)
    }
    let timer = clock.schedule(hardLimitMs, () => clock.soon(overdue))
    const outcome = await thread.run(request)
    waiting = false
    timer.cancel()
    if (outcome.status !== 'lost') return outcome
    live.delete(thread)
    if (closed) throw isClosed()
    if (late) return { status: 'limit', limit: 'time' }
    logger.warn('sandbox thread lost', { reason: outcome.reason })
    return outcome.outOfMemory
      ? { status: 'limit', limit: 'memory' }
      : { status: 'threw', name: 'SandboxCrash', message: outcome.reason }
  }

  return {
    run(request, signal) {
      if (closed) return Promise.reject(isClosed())
      const outcome = deferred<SandboxOutcome>()
      queue.push({ request, signal, outcome })
      if (serving.size < workers) {
        const loop: Promise<void> = serve().finally(() => serving.delete(loop))
        serving.add(loop)
      }
      return outcome.promise
    },
    async close() {
      closed = true
      for (const job of queue.splice(0)) job.outcome.reject(isClosed())
      await Promise.all([...live].map(stop))
      await Promise.all(serving)
    },
  }
}

function isClosed(): Error {
  return new SandboxUnavailable({ reason: 'it is closed' })
}

/** What went over a limit may have left its thread large. */
function isSpent(thread: SandboxThread, outcome: SandboxOutcome): boolean {
  if (thread.taken >= REQUESTS_PER_THREAD) return true
  return outcome.status === 'limit' && outcome.limit !== 'output' && outcome.limit !== 'depth'
}
