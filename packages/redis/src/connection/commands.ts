import { type Clock, errorMessage, type Timer } from '@lockstep/base'
import { ProviderUnavailable } from '@lockstep/coordination'
import type { Connection } from './connection.ts'

export interface Script {
  readonly name: string
  readonly sha: string
  readonly text: string
}

/** Where commands go: our own `Link`, or a client that was handed in. */
export interface CommandRoute {
  readonly connection: Pick<Connection, 'send'> | undefined
  whenOpen(): Promise<Pick<Connection, 'send'> | undefined>
  readonly lastError: unknown
  /** The connection has not answered for too long. */
  onSilence(connection: Pick<Connection, 'send'>, cause: unknown): void
}

export interface CommandsOptions {
  readonly route: CommandRoute
  readonly clock: Clock
  /** How long the server may be silent while something is asked of it. */
  readonly silenceMs: number
}

/**
 * Runs commands and scripts; whatever goes wrong is `PROVIDER_UNAVAILABLE` with its cause. Nothing is repeated, with one exception:
 * a script that the server does not know (first use, SCRIPT FLUSH, restart) was not run, so it is sent again with its text.
 */
export class Commands {
  readonly #options: CommandsOptions
  readonly #pending = new Set<(cause: unknown) => void>()
  #waitingCount = 0
  #heardAt = 0
  #watch: Timer | undefined
  #closed = false

  constructor(options: CommandsOptions) {
    this.#options = options
  }

  /** Sent and not answered. */
  get inFlightCount(): number {
    return this.#pending.size
  }

  /** Not sent: there is no connection yet. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  send(args: readonly string[], doing: string): Promise<unknown> {
    return this.#on((connection) => this.#watched(connection, args, doing), doing)
  }

  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const command = ['EVALSHA', script.sha, String(keys.length)].concat(keys, args)
    return this.#on((connection) => this.#watched(connection, command, script.name, script), script.name)
  }

  close(): void {
    this.#closed = true
    this.#watch?.cancel()
    for (const fail of this.#pending) fail(new Error('the provider was closed'))
    this.#pending.clear()
  }

  /** Without a promise more than it takes: at once when there is a connection. */
  #on(send: (connection: Pick<Connection, 'send'>) => Promise<unknown>, doing: string): Promise<unknown> {
    const { route } = this.#options
    const { connection } = route
    if (connection !== undefined && !this.#closed) return send(connection)
    this.#waitingCount += 1
    const opened = route.whenOpen().finally(() => {
      this.#waitingCount -= 1
    })
    return opened.then((later) => {
      if (later === undefined || this.#closed) throw unavailable(doing, this.#closed ? undefined : route.lastError)
      return send(later)
    })
  }

  #watched(
    connection: Pick<Connection, 'send'>,
    args: readonly string[],
    doing: string,
    script?: Script,
  ): Promise<unknown> {
    const { clock, silenceMs } = this.#options
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void => reject(unavailable(doing, cause))
      if (this.#pending.size === 0) this.#heardAt = clock.monotonic()
      this.#pending.add(fail)
      this.#watch ??= this.#watchFor(connection, silenceMs)
      connection.send(args).then(
        (reply) => {
          this.#heard(fail)
          resolve(reply)
        },
        (error) => {
          this.#heard(fail)
          const isUnknown = script !== undefined && errorMessage(error).startsWith('NOSCRIPT')
          if (isUnknown) resolve(this.#watched(connection, ['EVAL', script.text, ...args.slice(2)], doing))
          else fail(error)
        },
      )
    })
  }

  #heard(fail: (cause: unknown) => void): void {
    this.#pending.delete(fail)
    this.#heardAt = this.#options.clock.monotonic()
  }

  #watchFor(connection: Pick<Connection, 'send'>, afterMs: number): Timer {
    const { clock, silenceMs, route } = this.#options
    return clock.schedule(afterMs, () => {
      this.#watch = undefined
      if (this.#pending.size === 0) return
      const silentMs = clock.monotonic() - this.#heardAt
      if (silentMs < silenceMs) {
        this.#watch = this.#watchFor(route.connection ?? connection, silenceMs - silentMs)
        return
      }
      const cause = new Error(`no answer for ${Math.round(silentMs)} ms`)
      for (const fail of this.#pending) fail(cause)
      this.#pending.clear()
      route.onSilence(route.connection ?? connection, cause)
    })
  }
}

function unavailable(doing: string, cause: unknown): Error {
  return new ProviderUnavailable({ provider: 'Redis', doing }, cause === undefined ? {} : { cause })
}
