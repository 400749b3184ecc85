import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { nodeProgram } from '../setup/bundle-nodes.ts'

const program = nodeProgram(new URL('./lock-worker.mjs', import.meta.url))

export type ProviderAt =
  | { readonly kind: 'redis'; readonly url: string; readonly namespace: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly namespace: string }

export interface WorkerSettings {
  readonly provider: ProviderAt
  readonly worker: string
  readonly logFile: string
  readonly resourcePort?: number
  readonly lock?: string
  readonly ttlMs?: number
  readonly waitMs?: number
  readonly workMs?: number
  readonly pauseMs?: number
}

interface Answer {
  readonly id?: number
  readonly event?: string
  readonly text?: string
  readonly value?: unknown
  readonly error?: { readonly code?: string; readonly message: string }
}

/** What a call was answered with when it failed; `GONE` when the process ended before it answered. */
export class WorkerCallFailed extends Error {
  readonly code: string | undefined

  constructor(code: string | undefined, message: string) {
    super(message)
    this.name = 'WorkerCallFailed'
    this.code = code
  }
}

/** `lock-worker.mjs` in a process of its own, which can be killed, stopped and woken. */
export class Worker implements AsyncDisposable {
  /** Errors that nobody caught. */
  readonly unhandled: string[] = []
  readonly name: string
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  readonly #calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #callNo = 0
  #isOver = false

  private constructor(name: string) {
    this.name = name
    this.#child = fork(program, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child.on('message', (message) => this.#hear(message as Answer))
    this.#child.on('error', () => undefined)
    this.#ended = once(this.#child, 'exit').then(([code]) => {
      this.#isOver = true
      for (const { reject } of this.#calls.values()) reject(new WorkerCallFailed('GONE', `${name} ended`))
      this.#calls.clear()
      return code as number | null
    })
  }

  static async open(settings: WorkerSettings): Promise<Worker> {
    const worker = new Worker(settings.worker)
    await worker.call('open', settings)
    return worker
  }

  get pid(): number {
    return this.#child.pid!
  }

  get isOver(): boolean {
    return this.#isOver
  }

  call<T>(op: string, args: unknown = {}): Promise<T> {
    if (this.#isOver) return Promise.reject(new WorkerCallFailed('GONE', `${this.name} ended`))
    const id = ++this.#callNo
    const answer = new Promise<T>((resolve, reject) =>
      this.#calls.set(id, { resolve: resolve as (value: unknown) => void, reject }),
    )
    answer.catch(() => undefined) // whoever dropped it does not care how it ended
    this.#child.send({ id, op, args }, () => undefined)
    return answer
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  async kill9(): Promise<void> {
    if (!this.#isOver) this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** The exit code, when the process has ended by itself or otherwise. */
  ended(): Promise<number | null> {
    return this.#ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill9()
  }

  #hear(message: Answer): void {
    if (message.event === 'unhandled') this.unhandled.push(message.text!)
    const call = message.id === undefined ? undefined : this.#calls.get(message.id)
    if (call === undefined) return
    this.#calls.delete(message.id!)
    if (message.error === undefined) call.resolve(message.value)
    else call.reject(new WorkerCallFailed(message.error.code, message.error.message))
  }
}
