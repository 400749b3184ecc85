import { Worker } from 'node:worker_threads'
import { type Clock, type Deferred, deferred, errorMessage, type Logger, TimedOut, withTimeout } from '@lockstep/base'
import { ConnectionLost, DatabaseClosed, DataFolderUnreadable } from '../db/errors.ts'
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts'
import { WorkerStream } from './worker-stream.ts'

export interface EmbeddedServerOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly folder: string | undefined
  readonly snapshot: string | undefined
  /** How long the worker may be busy with a statement nobody waits for any more before it is ended by force. */
  readonly stuckAfterMs: number
}

/** The built file, also when this module runs from its source: a worker thread cannot run TypeScript. */
const workerFile = new URL('../../dist/pglite/worker.js', import.meta.url)
const CLOSE_PATIENCE_MS = 10_000

interface Running {
  readonly worker: Worker
  /** Settles when the worker has ended, whatever the reason. */
  readonly ended: Promise<void>
}

/** PGlite in a worker thread, started when first needed and started again when it had to be ended. */
export class EmbeddedServer {
  readonly #options: EmbeddedServerOptions
  readonly #currentEpoch = new Int32Array(new SharedArrayBuffer(4))
  #running: Promise<Running> | undefined
  #stream: WorkerStream | undefined
  #attached: Deferred<void> | undefined
  #closed: Deferred<void> | undefined
  #epoch = 0
  #isClosing = false

  constructor(options: EmbeddedServerOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#run()
  }

  /** A new session. Waits for a statement of the last one that is still running; ends the worker when that never ends. */
  async attach(): Promise<WorkerStream> {
    const { clock, logger, stuckAfterMs } = this.#options
    const { worker } = await this.#run()
    this.#stream?.destroy()
    const epoch = ++this.#epoch
    Atomics.store(this.#currentEpoch, 0, epoch)
    this.#attached = deferred()
    post(worker, { kind: 'attach', epoch })
    try {
      await withTimeout(clock, stuckAfterMs, 'the embedded database', this.#attached.promise)
    } catch (error) {
      await worker.terminate()
      const reason = TimedOut.is(error) ? `a statement ran on for ${stuckAfterMs} ms` : errorMessage(error)
      logger.error('the embedded database had to be started again', { reason })
      throw new ConnectionLost({ statement: 'attach', reason }, { cause: error })
    }
    const detach = (): void => this.#detach(epoch)
    this.#stream = new WorkerStream({
      send: (bytes) => post(worker, { kind: 'bytes', epoch, bytes }, [bytes.buffer]),
      detach,
    })
    return this.#stream
  }

  /** Writes everything out and ends the worker. */
  async close(): Promise<void> {
    this.#isClosing = true
    const running = await this.#running?.catch(() => undefined)
    if (running === undefined) return
    this.#closed = deferred()
    post(running.worker, { kind: 'close' })
    await withTimeout(this.#options.clock, CLOSE_PATIENCE_MS, 'closing', this.#closed.promise).catch(() => {})
    await running.worker.terminate()
    await running.ended
  }

  #run(): Promise<Running> {
    if (this.#isClosing) throw new DatabaseClosed({ statement: 'attach' })
    this.#running ??= this.#spawn()
    return this.#running
  }

  async #spawn(): Promise<Running> {
    const { folder, snapshot } = this.#options
    const start: WorkerStart = {
      currentEpoch: this.#currentEpoch.buffer as SharedArrayBuffer,
      ...(folder === undefined ? {} : { folder }),
      ...(snapshot === undefined ? {} : { snapshot }),
    }
    const worker = new Worker(workerFile, { workerData: start, execArgv: [] })
    const ready = deferred<void>()
    const ended = deferred<void>()
    worker.on('message', (message: FromWorker) => this.#onMessage(message, ready))
    let failure: Error | undefined
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', (code) => {
      this.#onEnded(failure ?? new Error(`the worker ended with code ${code}`), ready)
      ended.resolve()
    })
    try {
      await ready.promise
    } catch (error) {
      await ended.promise
      throw error
    }
    return { worker, ended: ended.promise }
  }

  #onMessage(message: FromWorker, ready: Deferred<void>): void {
    switch (message.kind) {
      case 'ready':
        ready.resolve()
        break
      case 'failed':
        ready.reject(this.#unreadable(new Error(message.message)))
        break
      case 'attached':
        if (message.epoch === this.#epoch) this.#attached?.resolve()
        break
      case 'bytes':
        if (message.epoch === this.#epoch) this.#stream?.receive(message.bytes)
        break
      case 'closed':
        this.#closed?.resolve()
    }
  }

  #unreadable(error: Error): Error {
    const { folder = '(memory)' } = this.#options
    return new DataFolderUnreadable({ folder, message: error.message }, { cause: error })
  }

  /** Whatever was under way is lost; the next session starts a new worker on the same folder. */
  #onEnded(error: Error, ready: Deferred<void>): void {
    ready.reject(this.#unreadable(error))
    this.#running = undefined
    this.#attached?.reject(error)
    this.#closed?.resolve()
    this.#stream?.destroy(this.#isClosing ? undefined : error)
    this.#stream = undefined
  }

  /** From now on the worker drops what it has not begun yet. */
  #detach(epoch: number): void {
    if (this.#epoch !== epoch) return
    this.#epoch++
    Atomics.store(this.#currentEpoch, 0, this.#epoch)
  }
}

function post(worker: Worker, message: ToWorker, transfer: ArrayBufferLike[] = []): void {
  worker.postMessage(message, transfer as ArrayBuffer[])
}
