import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Clock, deferred } from '@lockstep/base'
import type { DevState } from '@lockstep/server'
import { DevNodeFailed } from './errors.ts'
import type { OutcomeMessage, StatesMessage } from './messages.ts'

const bin = fileURLToPath(new URL('../../bin/lockstep.mjs', import.meta.url))
/** The box that a node ends its start with. */
const FRAME = /^[╭│╰]/
const ADDRESS = /\bAPI\s+(http\S+)\/api\/v1/
/** Longer than a node lets its steps finish. */
const LONGEST_STOP_MS = 30_000
const KEPT_LINES = 5

export interface DevNodeOptions {
  readonly name: string
  readonly host: string
  /** 0: any free one, which it then keeps. */
  readonly port: number
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly onLine: (line: string) => void
  /** It ended without having been told to. */
  readonly onDeath: () => void
  /** It became something else. */
  readonly onState?: () => void
  /** What the process says over a channel of its own. Absent: it has none. */
  readonly onMessage?: (message: unknown) => void
}

/** One `lockstep server` process that can be killed, paused and brought back at the same address. */
export class DevNode {
  readonly #options: DevNodeOptions
  readonly #lastLines: string[] = []
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #url: string | undefined
  #state: DevState = 'dead'

  constructor(options: DevNodeOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get state(): DevState {
    return this.#state
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Absent until it has listened for the first time. */
  get url(): string | undefined {
    return this.#url
  }

  /** Settles when it listens. Starting one that lives is no error. */
  async start(): Promise<void> {
    if (this.#state !== 'dead') return
    this.#lastLines.length = 0
    const { name, host, environment, onDeath, onMessage } = this.#options
    const port = this.#url === undefined ? this.#options.port : Number(new URL(this.#url).port)
    const child = spawn(
      process.execPath,
      [bin, 'server', '--host', host, '--port', String(port), '--node-name', name],
      {
        // Not in the command line, where everybody could read the password.
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe', ...(onMessage === undefined ? [] : (['ipc'] as const))],
        // A group of its own: Ctrl-C is for us, and we stop the nodes one after the other.
        detached: true,
      },
    )
    this.#child = child
    if (onMessage !== undefined) child.on('message', onMessage)
    this.#become('starting')
    const listens = deferred<void>()
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream! }).on('line', (line) => this.#hear(line, () => listens.resolve()))
    this.#ended = once(child, 'close')
      .catch(() => undefined)
      .then(() => {
        if (this.#child !== child) return
        const wasTold = this.#state === 'stopping' || this.#state === 'starting'
        this.#child = undefined
        this.#become('dead')
        listens.reject(new DevNodeFailed({ name, log: this.#lastLines.join(' ') || 'it said nothing' }))
        if (!wasTold) onDeath()
      })
    await listens.promise
    this.#become('running')
  }

  /** Lost when it does not live, or dies before it hears it. */
  tell(message: StatesMessage | OutcomeMessage): void {
    if (this.#child?.connected) this.#child.send(message, () => {})
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  /** Freezes it as it stands, or lets it go on. */
  pause(): void {
    if (this.#state === 'running' && this.#child?.kill('SIGSTOP')) this.#become('paused')
    else if (this.#state === 'paused' && this.#child?.kill('SIGCONT')) this.#become('running')
  }

  /** In good order, as a deployment does it; by force when that takes too long. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    if (this.#state === 'paused') child.kill('SIGCONT')
    this.#become('stopping')
    child.kill('SIGTERM')
    const force = this.#options.clock.schedule(LONGEST_STOP_MS, () => child.kill('SIGKILL'), { keepAlive: true })
    await this.#ended
    force.cancel()
  }

  /** Settles when the process has ended, whoever ended it. */
  ended(): Promise<unknown> {
    return this.#ended
  }

  #become(state: DevState): void {
    this.#state = state
    this.#options.onState?.()
  }

  #hear(line: string, onListening: () => void): void {
    if (FRAME.test(line)) {
      const url = ADDRESS.exec(line)?.[1]
      if (url === undefined) return
      this.#url = url
      onListening()
      return
    }
    this.#lastLines.push(line)
    if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift()
    this.#options.onLine(line)
  }
}
