/**
 * A worker for `run-task`: claims tasks by their names, runs the handler, says that it is alive while it runs, and hands in what came of it. It
 * needs nothing but the server's address, so it can run anywhere. A task may come twice, as after a crash: the task's id is the same then.
 */
import {
  type Clock,
  deferred,
  errorMessage,
  InvalidOption,
  type Random,
  systemClock,
  systemRandom,
} from '@lockstep/base'
import { BackOff } from './back-off.ts'
import { runTask, type TaskHandler } from './run-task.ts'
import { taskApi } from './task-api.ts'

export interface TaskWorkerOptions {
  /** Of the server, such as http://127.0.0.1:4400. */
  readonly url: string
  readonly apiKey?: string
  /** Name of the task, or names, that the handler does. */
  readonly task: string | readonly string[]
  readonly handler: TaskHandler
  /** @default 'default' */
  readonly queue?: string
  /** Tasks at once. @default 1 */
  readonly concurrency?: number
  /** How long a claim outlives the last heartbeat. @default 30_000 */
  readonly leaseMs?: number
  /** Who this is, for people to see. @default 'worker' */
  readonly name?: string
  /** How long one question for tasks waits on the server. @default 30_000 */
  readonly waitMs?: number
  /** Told of what goes wrong beside the handler: an unreachable server, a lost claim. The worker goes on by itself. */
  readonly onProblem?: (problem: { readonly message: string; readonly task?: string }) => void
  /** @default the one of this process */
  readonly fetch?: typeof fetch
  readonly clock?: Clock
  readonly random?: Random
}

export interface TaskWorker extends AsyncDisposable {
  /** Tasks whose handler runs now. */
  readonly running: number
  /** Claims nothing more, lets handlers finish for `drainMs`, then tells them to stop and gives their tasks back. @default 20_000 */
  stop(drainMs?: number): Promise<void>
}

const MOST_AT_ONCE = 100
/** What a handler has after it was told to stop; then it is left alone, and its claims end by themselves. */
const LAST_WORDS_MS = 2_000

export function taskWorker(options: TaskWorkerOptions): TaskWorker {
  const { task, handler, queue = 'default', concurrency = 1, leaseMs = 30_000, name = 'worker' } = options
  const { waitMs = 30_000, onProblem = () => {}, clock = systemClock, random = systemRandom } = options
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new InvalidOption({ option: 'concurrency', rule: 'a whole number from 1', value: concurrency })
  if (!(waitMs >= 0 && waitMs <= 60_000))
    throw new InvalidOption({ option: 'waitMs', rule: '0 to 60000', value: waitMs })
  if (leaseMs < 1_000) throw new InvalidOption({ option: 'leaseMs', rule: 'at least 1000', value: leaseMs })
  const api = taskApi({ url: options.url, apiKey: options.apiKey, fetch: options.fetch ?? fetch })
  const claiming = new AbortController()
  const working = new AbortController()
  const running = new Set<Promise<void>>()
  const stopping = deferred<void>()
  const tasks = typeof task === 'string' ? [task] : [...task]
  const context = { api, handler, leaseMs, clock, random, onProblem, stop: working.signal }

  const loop = async (): Promise<void> => {
    const backOff = new BackOff(clock, random)
    while (!claiming.signal.aborted) {
      if (running.size >= concurrency) {
        await Promise.race([...running, stopping.promise])
        continue
      }
      try {
        const limit = Math.min(MOST_AT_ONCE, concurrency - running.size)
        const request = { tasks, queue, limit, wait: waitMs, leaseFor: leaseMs, worker: name }
        for (const claimed of await api.claim(request, claiming.signal)) {
          const run = runTask(context, claimed).finally(() => running.delete(run))
          running.add(run)
        }
        backOff.succeeded()
      } catch (error) {
        if (claiming.signal.aborted) return
        onProblem({ message: errorMessage(error) })
        await backOff.failed(claiming.signal)
      }
    }
  }
  const looping = loop()

  const stop = async (drainMs = 20_000): Promise<void> => {
    claiming.abort()
    stopping.resolve()
    await looping
    const { promise: late, resolve } = deferred<void>()
    const drain = clock.schedule(drainMs, () => working.abort(), { keepAlive: true })
    const leave = clock.schedule(drainMs + LAST_WORDS_MS, () => resolve(), { keepAlive: true })
    await Promise.race([Promise.all(running), late])
    drain.cancel()
    leave.cancel()
  }
  return {
    get running() {
      return running.size
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  }
}
