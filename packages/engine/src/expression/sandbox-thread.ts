import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Deferred, deferred, errorCode, errorMessage } from '@lockstep/base'
import { SandboxUnavailable } from './errors.ts'
import type { MachineSettings, SandboxOutcome, SandboxReply, SandboxRequest } from './sandbox-protocol.ts'
import { type ThreadTime, threadTime } from './thread-time.ts'

/** The thread ended before it answered. */
export interface ThreadLost {
  readonly status: 'lost'
  readonly reason: string
  /** The thread itself, not the machine in it. */
  readonly outOfMemory: boolean
}

/** A thread with one machine. It keeps the process alive only while it is starting or working. */
export interface SandboxThread {
  /** How many requests it has taken. */
  readonly taken: number
  /** One at a time. */
  run(request: SandboxRequest): Promise<SandboxOutcome | ThreadLost>
  /** What it has had of a processor since its last answer; NaN where nobody knows. */
  workedMs(): number
  /** Ends it wherever it is. */
  stop(): Promise<void>
}

/** Enough for texts on their way through; programs live in the memory of the machine. */
const HEAP_MB = 128

/** Resolves when the machine is warm. */
export async function startThread(settings: MachineSettings): Promise<SandboxThread> {
  const worker = new Worker(workerFile(), {
    workerData: settings,
    // Nothing of the process: no flags of a test runner, no environment.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  const ready = deferred<void>()
  let waiting: Deferred<SandboxOutcome | ThreadLost> | undefined
  let failure: unknown
  let taken = 0
  let time: ThreadTime | undefined
  let workedBefore = Number.NaN

  worker.on('message', (reply: SandboxReply) => {
    worker.unref()
    workedBefore = reply.workedMs
    if (reply.type === 'ready') {
      time = threadTime(reply.place)
      return ready.resolve()
    }
    const current = waiting
    waiting = undefined
    current?.resolve(reply.outcome)
  })
  worker.on('error', (error) => {
    failure = error
  })
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      time?.close()
      time = undefined
      const reason = errorMessage(failure ?? 'its thread ended')
      ready.reject(new SandboxUnavailable({ reason }, { cause: failure }))
      waiting?.resolve({ status: 'lost', reason, outOfMemory: errorCode(failure) === 'ERR_WORKER_OUT_OF_MEMORY' })
      resolve()
    })
  })

  await ready.promise
  return {
    get taken() {
      return taken
    },
    run(request) {
      taken++
      waiting = deferred()
      worker.ref()
      worker.postMessage(request)
      return waiting.promise
    },
    workedMs: () => (time?.workedMs() ?? Number.NaN) - workedBefore,
    async stop() {
      await worker.terminate()
      await ended
    },
  }
}

/** Node runs no TypeScript in a thread: from source, the built entry is used. */
function workerFile(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./sandbox-worker.js', import.meta.url)
  const built = new URL('../../dist/expression/sandbox-worker.js', import.meta.url)
  if (existsSync(fileURLToPath(built))) return built
  throw new SandboxUnavailable({ reason: 'its thread is not built, run "npx tsc -b packages/engine" first' })
}
