import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../packages/lockstep/bin/lockstep.mjs', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

/** The command line as a user runs it: a process of its own, from the built files. */
export class LockstepProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  #output = ''
  #standardOutput = ''
  readonly #exit: Promise<Finished>

  constructor(args: readonly string[], options: { readonly cwd: string; readonly env?: Record<string, string> }) {
    this.#child = spawn(process.execPath, [bin, ...args], {
      cwd: options.cwd,
      env: { PATH: process.env.PATH ?? '', LOCKSTEP_OUTPUT: 'table', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#standardOutput += chunk.toString()))
    this.#exit = once(this.#child, 'close').then(([code, signal]) => ({ code, signal, output: this.#output }))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get output(): string {
    return this.#output
  }

  /** Without what came on standard error. */
  get standardOutput(): string {
    return this.#standardOutput
  }

  /** The address that the box names. Rejects when the process ends first. */
  async url(): Promise<string> {
    for (;;) {
      const found = /Health\s+(http\S+)\/health\/live/.exec(this.#output)?.[1]
      if (found !== undefined) return found
      const ended = await Promise.race([this.#exit, new Promise<undefined>((resolve) => setTimeout(resolve, 20))])
      if (ended !== undefined) throw new Error(`ended with ${ended.code}:\n${ended.output}`)
    }
  }

  finished(): Promise<Finished> {
    return this.#exit
  }

  async end(signal: NodeJS.Signals): Promise<Finished> {
    this.#child.kill(signal)
    return this.#exit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.end('SIGKILL')
  }
}
