import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { nodeProgram } from '../setup/bundle-nodes.ts'
import { until } from './until.ts'

const present = nodeProgram(new URL('./node-process.mjs', import.meta.url))

export interface Crash {
  readonly op: 'commit' | 'transact' | 'claim' | 'revise'
  /** From 1. */
  readonly n: number
  readonly when: 'before' | 'after'
}

export interface OpenOptions {
  readonly url: string
  readonly name?: string
  readonly sinkFile?: string
  readonly crash?: Crash
  /** Beats from a thread of its own, as the nodes of a deployment do. */
  readonly heart?: boolean
  /** A module with `openBus`, by its address, and what else that takes. @default wake-ups over PostgreSQL */
  readonly bus?: { readonly module: string } & Readonly<Record<string, unknown>>
  /** Options of the engine and of the connection, as they are. */
  readonly engine?: Readonly<Record<string, unknown>>
  readonly database?: Readonly<Record<string, unknown>>
}

export interface LogLine {
  readonly level: string
  readonly text: string
  readonly fields?: Readonly<Record<string, unknown>>
}

interface Answer {
  readonly id?: number
  readonly event?: string
  readonly value?: unknown
  readonly error?: { readonly code?: string; readonly message: string }
  readonly name?: string
  readonly nodeId?: string
}

/** What a call was answered with when it failed; `GONE` when the process ended before it answered. */
export class NodeCallFailed extends Error {
  readonly code: string | undefined

  constructor(code: string | undefined, message: string) {
    super(message)
    this.name = 'NodeCallFailed'
    this.code = code
  }
}

/** An engine in a process of its own, which can be killed, stopped and woken. */
export class TestNode implements AsyncDisposable {
  readonly log: LogLine[] = []
  /** Ids of the node's incarnations, oldest first. */
  readonly incarnations: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  readonly #gates = new Set<string>()
  #callNo = 0
  #isOver = false

  constructor(program: string = present) {
    this.#child = fork(program, [], {
      execArgv: [],
      serialization: 'json',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message) => this.#hear(message as Answer))
    this.#child.on('error', () => undefined)
    this.#ended = once(this.#child, 'close').then(() => {
      this.#isOver = true
      for (const { reject } of this.#calls.values()) reject(new NodeCallFailed('GONE', 'the node process ended'))
      this.#calls.clear()
    })
  }

  static async open(options: OpenOptions): Promise<TestNode> {
    const node = new TestNode()
    await node.call('open', options)
    return node
  }

  get pid(): number {
    return this.#child.pid!
  }

  get isOver(): boolean {
    return this.#isOver
  }

  call<T>(op: string, args: unknown = {}): Promise<T> {
    if (this.#isOver) return Promise.reject(new NodeCallFailed('GONE', 'the node process ended'))
    const id = ++this.#callNo
    const answer = new Promise<T>((resolve, reject) =>
      this.#calls.set(id, { resolve: resolve as (value: unknown) => void, reject }),
    )
    answer.catch(() => undefined) // whoever dropped it does not care how it ended
    this.#child.send({ id, op, args }, () => undefined)
    return answer
  }

  /** Waits until somebody stands at the gate. */
  atGate(name: string): Promise<void> {
    return until(`somebody stands at gate "${name}"`, () => this.#gates.has(name))
  }

  logged(text: string): LogLine[] {
    return this.log.filter((line) => line.text.includes(text))
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  async kill9(): Promise<void> {
    if (!this.#isOver) this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** Settles when the process has ended, whoever ended it. */
  ended(): Promise<unknown> {
    return this.#ended
  }

  /** Leaves the cluster in good order. */
  async close(): Promise<void> {
    await this.call('close', { drainMs: 2_000 }).catch(() => undefined)
    await this.kill9()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill9()
  }

  #hear(message: Answer): void {
    if (message.event === 'log') this.log.push(message as unknown as LogLine)
    else if (message.event === 'incarnation') this.incarnations.push(message.nodeId!)
    else if (message.event === 'gate') this.#gates.add(message.name!)
    const call = message.id === undefined ? undefined : this.#calls.get(message.id)
    if (call === undefined) return
    this.#calls.delete(message.id!)
    if (message.error === undefined) call.resolve(message.value)
    else call.reject(new NodeCallFailed(message.error.code, message.error.message))
  }
}
