import { Worker } from 'node:worker_threads'
import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import { type Heart, type Heartbeat, type HeartbeatOptions, type NodeReport, nodeStates } from '@lockstep/engine/ports'
import { type FromHeart, HELD, type HeartStart, PULSE, SHARED_BYTES, STATE } from './membership-heart-messages.ts'

export interface PostgresHeartOptions {
  readonly url: string
  /** `application_name` of the node's connections: its burial ends this one too. */
  readonly application: string
  readonly clock: Clock
  readonly logger: Logger
  /** @default 'lockstep' */
  readonly schema?: string
  /** The URL leads to a transaction pooler. @default false */
  readonly pooler?: boolean
}

/** The built file, also when this module runs from its source: a worker thread cannot run TypeScript. */
const threadFile = new URL('../../dist/engine/membership-heart-thread.js', import.meta.url)
const HEAP_MB = 64
/** After a thread was lost the main loop beats for so long before another one is tried. */
const AGAIN_MS = 10_000

/** Beats over a connection of their own from a thread of their own. While there is no thread the main loop beats. */
export function postgresHeart(options: PostgresHeartOptions): Heart {
  return { begin: (wanted) => new ThreadHeartbeat(options, wanted) }
}

class ThreadHeartbeat implements Heartbeat {
  readonly #o: PostgresHeartOptions
  readonly #wanted: HeartbeatOptions
  readonly #shared = new Int32Array(new SharedArrayBuffer(SHARED_BYTES))
  #thread: Worker | undefined
  #isReady = false
  #again = Number.NEGATIVE_INFINITY
  #stopped = false

  constructor(options: PostgresHeartOptions, wanted: HeartbeatOptions) {
    this.#o = options
    this.#wanted = wanted
  }

  pulse({ state, held }: NodeReport): boolean {
    if (this.#stopped) return false
    Atomics.store(this.#shared, HELD, held)
    Atomics.store(this.#shared, STATE, nodeStates.indexOf(state))
    Atomics.add(this.#shared, PULSE, 1)
    if (this.#thread === undefined && this.#o.clock.monotonic() >= this.#again) this.#start()
    return this.#isReady
  }

  stop(): void {
    this.#stopped = true
    this.#isReady = false
    void this.#thread?.terminate()
  }

  #start(): void {
    const { url, application, schema = 'lockstep', pooler = false, logger } = this.#o
    const { nodeId, heartbeatMs, ttlMs, onBeat, onFailure } = this.#wanted
    const shared = this.#shared.buffer as SharedArrayBuffer
    const start: HeartStart = { url, schema, pooler, application, nodeId, heartbeatMs, ttlMs, shared }
    // Nothing of the process: no flags of a test runner, no environment.
    const thread = new Worker(threadFile, {
      ...{ workerData: start, execArgv: [], env: {}, name: 'heart' },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    thread.unref()
    this.#thread = thread
    let failure: unknown
    thread.on('message', (message: FromHeart) => {
      if (this.#stopped) return
      if (message.kind === 'ready') this.#isReady = true
      else if (message.kind === 'beat') onBeat(message.timed)
      else onFailure(message)
    })
    thread.on('error', (error) => {
      failure = error
    })
    thread.on('exit', () => {
      this.#thread = undefined
      this.#isReady = false
      if (this.#stopped) return
      this.#again = this.#o.clock.monotonic() + AGAIN_MS
      logger.warn('the thread of heartbeats ended, the main loop beats', {
        reason: errorMessage(failure ?? 'no reason'),
      })
    })
  }
}
